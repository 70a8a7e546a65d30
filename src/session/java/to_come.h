/* to_come.h - classes that a loaded one brings along sooner or later: those nested in it, as their class files tell.
 *
 * A line may have code in a local or anonymous class that is loaded only when the program gets there.  The class files beside that of the outermost
 * class, in its folder of the class path or its jar, say so before.
 *
 * JTC1  only what is read counts: where the outermost class comes from elsewhere (a compiler in memory, another machine) nothing is known. */
#ifndef EBB_SESSION_JAVA_TO_COME_H
#define EBB_SESSION_JAVA_TO_COME_H

#include "session/java/java.h"

typedef enum ses_java_to_come {
    SES_JAVA_NEVER,   /* no class of these nests has code there */
    SES_JAVA_LATER,   /* one has that isn't loaded */
    SES_JAVA_UNKNOWN, /* JTC1 */
} ses_java_to_come;

typedef struct ses_java_lines {
    unsigned from, to; /* without that one */
} ses_java_lines;

/* What comes to these lines of the file that the classes were compiled from. */
ses_java_to_come ses_java_lines_to_come(session *s, const java_class_ids *classes, ses_java_lines lines);

#endif
