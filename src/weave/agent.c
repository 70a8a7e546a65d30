/* agent.c - weaves classes as a JVM loads them: java -agentpath:libebb_weave.so[=OPTION[,OPTION...]] ...
 *
 * The transformer is C, so the agent is one too (JVMTI): nothing has to be piped to another process, and what the agent itself does is
 * no Java code that would count.
 *
 *     only=PATTERN   not=PATTERN   in-memory      as of `ebb weave timestamp`; the first two may be repeated
 *
 * Woven is what a class loader of the program's own loads; classes of named modules, the JDK's among them, don't see the counters and
 * are left as they are.  The counters are defined in the boot loader, where every loader finds them.
 *
 * WG1  a class that can't be woven, or was already, is loaded as it is. */
#include "base/mem.h"
#include "base/text.h"
#include "weave/runtime.h"
#include "weave/timestamp.h"

#include <jvmti.h>
#include <stdio.h>
#include <string.h>

typedef EBB_VEC(const char *) patterns;

/* Set once in Agent_OnLoad, before there is a second thread. */
static struct {
    patterns only, not;
    bool in_memory;
} chosen;

/* ---- options ---- */

static bool read_option(char *word)
{
    if (ebb_text_starts(word, "only="))
        ebb_vec_push(&chosen.only, word + strlen("only="));
    else if (ebb_text_starts(word, "not="))
        ebb_vec_push(&chosen.not, word + strlen("not="));
    else if (strcmp(word, "in-memory") == 0)
        chosen.in_memory = true;
    else
        return false;
    return true;
}

static bool read_options(const char *text)
{
    char *rest = NULL, *own = ebb_strdup(text ? text : ""); /* the patterns lie in it, as long as the JVM lives */
    for (char *word = strtok_r(own, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (!read_option(word)) {
            fprintf(stderr, "ebb: the agent has no option %s\n", word);
            return false;
        }
    ebb_vec_push(&chosen.only, NULL);
    ebb_vec_push(&chosen.not, NULL);
    return true;
}

/* ---- classes ---- */

/* The name of the counters is in the constants of what calls them. */
static bool is_woven(weave_span bytes)
{
    return memmem(bytes.bytes, bytes.nbytes, WEAVE_RUNTIME_CLASS, strlen(WEAVE_RUNTIME_CLASS)) != NULL;
}

static bool is_in_named_module(jvmtiEnv *jvmti, jobject loader, const char *name)
{
    const char *slash = strrchr(name, '/');
    char *package = slash ? ebb_strndup(name, (size_t)(slash - name)) : ebb_strdup("");
    jobject module = NULL;
    jvmtiError error = (*jvmti)->GetNamedModule(jvmti, loader, package, &module);
    free(package);
    return error == JVMTI_ERROR_NONE && module != NULL;
}

static void hand_out(jvmtiEnv *jvmti, const ebb_buf *woven, jint *nbytes, unsigned char **bytes)
{
    unsigned char *memory;
    if ((*jvmti)->Allocate(jvmti, (jlong)woven->n, &memory) != JVMTI_ERROR_NONE)
        return;
    memcpy(memory, woven->data, woven->n);
    *bytes = memory;
    *nbytes = (jint)woven->n;
}

static void JNICALL class_comes(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader, const char *name, jobject domain,
                                jint nbytes, const unsigned char *bytes, jint *new_nbytes, unsigned char **new_bytes)
{
    weave_span in = {bytes, (size_t)nbytes};
    weave_choice choice = {chosen.only.items, chosen.not.items, chosen.in_memory};
    weave_counts counts = {0};
    ebb_buf out = {0};
    if (loader == NULL || name == NULL || is_woven(in) || is_in_named_module(jvmti, loader, name))
        return;
    if (weave_timestamp(in, &choice, &out, &counts, NULL) == EBB_OK && counts.nticks > 0) /* WG1 */
        hand_out(jvmti, &out, new_nbytes, new_bytes);
    ebb_buf_fini(&out);
}

/* The counters, before any class of the program. */
static void JNICALL vm_begins(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    for (const weave_runtime_class *c = weave_runtime; c->path; c++) {
        char *name = ebb_strndup(c->path, strlen(c->path) - strlen(".class"));
        if ((*jni)->DefineClass(jni, name, NULL, (const jbyte *)c->bytes.bytes, (jsize)c->bytes.nbytes) == NULL)
            (*jni)->FatalError(jni, "ebb: the counters could not be defined");
        free(name);
    }
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

/* ---- beginning ---- */

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *jvmti = NULL;
    jvmtiCapabilities wanted = {.can_generate_all_class_hook_events = 1};
    jvmtiEventCallbacks callbacks = {.VMInit = vm_begins, .ClassFileLoadHook = class_comes};
    if (!read_options(options))
        return JNI_ERR;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9) != JNI_OK || (*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) != JVMTI_ERROR_NONE) {
        fprintf(stderr, "ebb: this JVM can't be asked for its classes\n");
        return JNI_ERR;
    }
    return JNI_OK;
}
