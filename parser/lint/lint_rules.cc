#include "lint/lint_rules.h"

namespace mprof {
namespace {

constexpr unsigned need_frees = need_end | need_all_calls | need_no_callbacks;
// Counted by calls, of which one that fails makes nothing.
constexpr unsigned need_counted_frees = need_frees | need_no_errors;
// What MPROF_LINT records of messages and collectives, in order.
constexpr unsigned need_steps = need_lint | need_all_calls | need_communicators;

}  // namespace

// Severity: an error is erroneous by the standard's text, a warning costs memory or will fail with
// another MPI, a note is worth knowing.
constexpr std::array<LintRuleFacts, lint_rule_count> lint_rule_table = {{
    {LintRule::collective_order, "collective-order", Severity::error,
     need_journals | need_all_calls | need_communicators, "MPI 4.1, 6.14",
     "ranks call other collectives on a communicator, or the same ones in another order"},
    {LintRule::collective_root, "collective-root", Severity::error,
     need_journals | need_all_calls | need_communicators, "MPI 4.1, 6.4-6.6, 6.9",
     "ranks give a collective different roots"},
    {LintRule::collective_size, "collective-size", Severity::error,
     need_end | need_all_calls | need_communicators | need_sizes, "MPI 4.1, 6.1",
     "ranks give a collective different numbers of bytes where all must give the same"},
    {LintRule::collective_operation, "collective-operation", Severity::error, need_steps,
     "MPI 4.1, 6.9.1", "ranks give a reduction different operations"},
    {LintRule::collective_type, "collective-type", Severity::error, need_steps, "MPI 4.1, 6.1",
     "ranks give a collective different types of data"},
    {LintRule::message_not_received, "message-not-received", Severity::error,
     need_end | need_all_calls | need_no_errors | need_requests | need_communicators |
         need_partners | need_no_cancel,
     "MPI 4.1, 11.2.2", "messages were sent that nobody received"},
    {LintRule::tag_not_received, "tag-not-received", Severity::error,
     need_steps | need_end | need_no_errors | need_no_cancel, "MPI 4.1, 3.2.4",
     "messages were sent with a tag that their receiver never asks for"},
    {LintRule::send_cycle, "send-cycle", Severity::error, need_steps, "MPI 4.1, 3.5",
     "ranks send to each other before they receive: a deadlock, unless the MPI buffers"},
    {LintRule::buffer_overlap, "buffer-overlap", Severity::error, need_lint | need_all_calls,
     "MPI 4.1, 3.7.2", "memory of an operation that is not complete is used by another one"},
    {LintRule::request_not_completed, "request-not-completed", Severity::error,
     need_end | need_all_calls | need_no_errors | need_requests, "MPI 4.1, 11.2.2",
     "nonblocking operations were started and never completed or freed"},
    {LintRule::epoch_not_ended, "epoch-not-ended", Severity::error,
     need_end | need_all_calls | need_no_errors, "MPI 4.1, 12.5",
     "a lock or an access epoch of a window was begun and never ended"},
    {LintRule::wrong_thread, "wrong-thread", Severity::error, need_level, "MPI 4.1, 11.2.1",
     "a thread calls MPI that may not: the program has only MPI_THREAD_SINGLE or "
     "MPI_THREAD_FUNNELED"},
    {LintRule::calls_at_once, "calls-at-once", Severity::error,
     need_lint | need_level | need_no_errors, "MPI 4.1, 11.2.1",
     "two threads call MPI at the same time, with MPI_THREAD_SERIALIZED"},
    {LintRule::no_finalize, "no-finalize", Severity::error, 0, "MPI 4.1, 11.2.2",
     "a rank ended without MPI_Finalize or MPI_Abort"},
    {LintRule::file_not_closed, "file-not-closed", Severity::error, need_frees, "MPI 4.1, 14.2.1",
     "files were opened and never closed"},
    {LintRule::communicator_not_freed, "communicator-not-freed", Severity::warning,
     need_frees | need_communicators, "MPI 4.1, 7.4.3",
     "communicators were made and never freed or disconnected"},
    {LintRule::window_not_freed, "window-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 12.2.5", "windows were made and never freed"},
    {LintRule::datatype_not_freed, "datatype-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 5.1.9", "datatypes were made and never freed"},
    {LintRule::request_not_freed, "request-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 3.9", "persistent requests were made and never freed"},
    {LintRule::group_not_freed, "group-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 7.3.3", "groups were made and never freed"},
    {LintRule::operation_not_freed, "operation-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 6.9.5", "reduction operations were made and never freed"},
    {LintRule::info_not_freed, "info-not-freed", Severity::warning, need_counted_frees,
     "MPI 4.1, 10", "info objects were made and never freed"},
    {LintRule::error_handler_not_freed, "error-handler-not-freed", Severity::warning,
     need_counted_frees, "MPI 4.1, 9.3.5", "error handlers were made and never freed"},
    {LintRule::error_not_looked_at, "error-not-looked-at", Severity::warning,
     need_lint | need_no_asking, "MPI 4.1, 9.3",
     "calls returned an error, and the rank never asked what it means"},
    {LintRule::removed_function, "removed-function", Severity::warning, 0, "MPI 4.1, 17.1",
     "functions that the standard has removed are called"},
    {LintRule::receive_order, "receive-order", Severity::note, need_steps, "MPI 4.1, 3.5",
     "receives from MPI_ANY_SOURCE could have got the messages in another order"},
    {LintRule::communicator_every_step, "communicator-every-step", Severity::note, 0,
     "MPI 4.1, 7.4.2", "a line makes a communicator again and again, which all ranks wait for"},
    {LintRule::datatype_every_step, "datatype-every-step", Severity::note, 0, "MPI 4.1, 5.1.9",
     "a line makes a datatype again and again, and that takes time"},
    {LintRule::deprecated_function, "deprecated-function", Severity::note, 0, "MPI 4.1, 16",
     "functions that the standard deprecates are called"},
}};

}  // namespace mprof
