"""Small Java programs that stand in a test itself."""
import subprocess


def compile_java(folder, name, source):
    """Compiles `source`, the text of the class `name`, in `folder`; which is given back."""
    path = folder / f'{name}.java'
    path.write_text(source)
    subprocess.run(['javac', '-g', '-d', folder, path], check=True)
    return folder
