/* language.c - the languages there are, and the verbs that are a language's own, handed to it. */
#include "session/language.h"

const ses_language *const ses_languages[SES_N_LANGUAGES] = {&ses_language_c, &ses_language_java};

#define SES_OWN(name, parameters, arguments)                                                       \
    ebb_status ses_##name parameters                                                               \
    {                                                                                              \
        return s->language->name arguments;                                                        \
    }
#include "session/language.def"
#undef SES_OWN
