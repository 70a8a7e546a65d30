"""What the programs that run the suite by hand share: a command line, the cases that it names, and what is said of each."""
import argparse

import conformance as c


def arguments(doc):
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--quick', action='store_true', help='only the cases of quick.txt')
    ap.add_argument('-v', action='store_true', help='name the cases that pass too')
    ap.add_argument('pattern', nargs='*')
    return ap


def selected(args):
    """The cases, compiled."""
    c.compile_suite()
    every = c.quick_cases() if args.quick else c.cases()
    return [x for x in every if not args.pattern or any(p in x.name for p in args.pattern)]


def tell(args, case, wrong, more=''):
    if wrong:
        print(f'FAIL {case.name}', *wrong, sep='\n     ', flush=True)
    elif args.v:
        print(f'ok   {case.name}{more}', flush=True)
