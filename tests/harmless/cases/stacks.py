"""MPI is called on stacks that are not the thread's own."""

from case import Case, TakeOut

OWN = "libmprof/record/paths/call_stack.c"
ANY_STACK = TakeOut("walking on the thread's own stack only", "libmprof/record/paths/callsites.c",
                    "own_stack_end((uintptr_t)cfa)", "UINTPTR_MAX")
THREADS_STACK = TakeOut("the bounds of the thread's stack", OWN,
                        "address >= thread_stack.begin && address < thread_stack.end",
                         "thread_stack.end != 0")
FIRST_STACK = TakeOut("following the first stack by what is mapped",
                      OWN, "if (!is_mapped(wanted, begin))", "if (0 && !is_mapped(wanted, begin))")
WALKED = TakeOut("walking with memory that is not on the stack",
                 "libmprof/record/paths/callsites.c",
                 "    struct walked *walked = cache->walked;\n    path->callsite",
                 "    struct walked on_stack;\n    struct walked *walked = &on_stack;\n    "
                 "path->callsite")
WITHOUT_LIMIT = ("sh", "-c", 'ulimit -s unlimited && exec "$@"', "sh")
BOOST = ('echo "int main(void) {{ return 0; }}" | "$@" -x c - -o {folder}/try -lboost_context '
         '2>/dev/null || '
         "ar rcs {folder}/libboost_context.a")

CASES = [
    Case("coroutine_dead_end",
         "MPI is called from coroutines whose stack ends in no return address",
         take_outs=[ANY_STACK, FIRST_STACK]),
    Case("coroutine_in_thread", "the same in a thread", source="coroutine_dead_end.c",
         arguments=("thread",), take_outs=[THREADS_STACK]),
    Case("coroutine_unlimited", "the same where the first stack has no limit",
         source="coroutine_dead_end.c", inside=WITHOUT_LIMIT, take_outs=[FIRST_STACK]),
    Case("stacks_of_two_sizes", "stacks of two sizes at one address, switched to so that the "
         "unwinder can follow", take_outs=[ANY_STACK]),
    Case("stacks_ucontext", "MPI is called from contexts of ucontext.h"),
    Case(
        "stacks_of_signals",
        "MPI is called on stacks of sigaltstack() that are unmapped afterwards"),
    Case("stack_of_handler", "MPI is called in a signal handler that has a small stack of its own",
         variables={"LD_BIND_NOW": "1"}, ranks=1,
         take_outs=[WALKED]),
    Case("stacks_of_threads", "threads on stacks of pthread_attr_setstack(), with coroutines right "
         "below and above",
         take_outs=[THREADS_STACK]),
    Case(
        "stacks_of_clones",
        "MPI is called from tasks of clone() that share the thread-local memory"),
    Case("stacks_boost", "MPI is called from fibers of Boost.Context", source="stacks_boost.cc",
         needs=["boost/context/fiber.hpp"], options=("--", "-L{folder}", "-lboost_context"),
         before=(("sh", "-c", BOOST, "sh", "{cc}"),)),
    Case("stacks_split", "a program with split stacks", options=("-fsplit-stack", "-fuse-ld=gold")),
]
