// Without elfutils: no stacks.
#include "stacks/walk_stack.h"

namespace mprof {

std::unique_ptr<StackWalker> open_stack_walker(int /*process*/)
{
    return nullptr;
}

bool can_walk_stacks()
{
    return false;
}

}  // namespace mprof
