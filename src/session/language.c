/* language.c - the verbs that are the language's own, handed to it. */
#include "session/language.h"

#define SES_OWN(name, parameters, arguments)                                                       \
    ebb_status ses_##name parameters                                                               \
    {                                                                                              \
        return s->language->name arguments;                                                        \
    }
#include "session/language.def"
#undef SES_OWN
