#ifndef A_H
#define A_H
#define IN_HEADER 77
#define MUL(a, b) ((a) * (b))
#endif
