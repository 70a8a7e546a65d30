# For a stock gdb over `ebb serve --gdb`: `ebb COMMAND` is a command of ebb's after which gdb looks anew.
python
class Ebb(gdb.Command):
    """ebb COMMAND: a command of ebb's, which may move the program."""
    def __init__(self):
        super().__init__("ebb", gdb.COMMAND_RUNNING)
    def invoke(self, line, from_tty):
        gdb.execute("monitor " + line)
        gdb.execute("maintenance flush dcache", to_string=True)
        gdb.execute("maintenance flush register-cache", to_string=True)
Ebb()
end
