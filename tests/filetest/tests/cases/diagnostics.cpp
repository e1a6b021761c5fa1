// Messages are compared with the comments of their lines.
// RUN: echo %s:9:3: error: no such thing > right
// RUN: check-diagnostics %s < right
// RUN: echo %s:10:3: warning: odd >> right
// RUN: not check-diagnostics %s < right 2>&1 | FileCheck --check-prefix=MORE %s
// RUN: not check-diagnostics %s < /dev/null 2>&1 | FileCheck --check-prefix=LESS %s
// MORE: + [[FILE]]:10: warning: odd
// LESS: - [[FILE]]:9: error: no such thing
int x = thing; // ERROR: no such thing
int y;
