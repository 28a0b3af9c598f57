// The fields of who sends to whom: matrix, nodes, distances, communicators, cost of messages.
#pragma once

#include "report/field.h"
#include "report/node_figures.h"

namespace mprof {

template <>
inline constexpr auto fields_of<MatrixCell> = fields(
    field("source", &MatrixCell::source, "", "rank of the sender, or the target of a get"),
    field("destination", &MatrixCell::destination, "",
          "rank of the receiver, or the caller of a get"),
    field("messages", &MatrixCell::messages, "",
          "messages: point to point as the sender counted them, one-sided as their caller did"),
    field("bytes", &MatrixCell::bytes, "bytes", "bytes of these messages"),
    field("time_s", &MatrixCell::time_s, "s",
          "time of the calls that sent them, on the source, and of the calls that received them, "
          "on the destination. Of nonblocking ones: of the call that started them and its share of "
          "the one that completed it. Of one-sided ones: on their caller"),
    field("one_sided_messages", &MatrixCell::one_sided_messages, "",
          "the part of `messages` that is one-sided")
        .only(in_json | in_csv),
    field("one_sided_bytes", &MatrixCell::one_sided_bytes, "bytes",
          "the part of `bytes` that is one-sided"));

template <>
inline constexpr auto fields_of<CommunicatorRow> = fields(
    field("name", &CommunicatorRow::name, "",
          "null if none was given; `(none)`: the row of all calls that have no communicator, so "
          "that the table adds up to the totals"),
    field("identity", &CommunicatorRow::identity, "",
          "the same on all ranks; null if it is not known")
        .only(in_json | in_csv),
    field("kind", &CommunicatorRow::kind, "",
          "`intra`, `inter`, `cartesian`, `graph`; `none`: of the row `(none)`"),
    field("size", &CommunicatorRow::size, "", "its size; 0 in the row `(none)`"),
    field("remote_size", &CommunicatorRow::remote_size, "",
          "size of the remote group of an intercommunicator"),
    field("made_by", &CommunicatorRow::made_by, "", "the MPI function that made it"),
    field("made_at", &CommunicatorRow::made_at, "",
          "`file:line` or `module+offset` of that call; null if not recorded"),
    field("created", &CommunicatorRow::created, "",
          "how many were counted as one, at most per rank"),
    field("ranks", &CommunicatorRow::ranks, "",
          "ranks that have it. Communicators without identity share a row if maker, name and size "
          "are the same: then `ranks` can exceed `size`"),
    field("calls", &CommunicatorRow::calls, "", "MPI calls with it"),
    field("bytes", &CommunicatorRow::bytes, "bytes", "bytes of these calls, as in functions"),
    field("time_s", &CommunicatorRow::time_s, "s", "time in these calls"),
    field("mpi_thread_s", &CommunicatorRow::mpi_thread_s, "s", "as in functions"),
    field("wait_s", &CommunicatorRow::wait_s, "s", "waiting in these calls, as in totals")
        .only(in_json | in_page));

template <>
inline constexpr auto fields_of<NodeRow> = fields(
    field("host", &NodeRow::host, "", "its name"),
    field("first_rank", &NodeRow::first_rank, "", "its lowest rank"),
    field("ranks", &NodeRow::ranks, "", "how many of its ranks were read"),
    field("compute_s", &NodeRow::compute_s, "s", "mean of its ranks"),
    field("mpi_s", &NodeRow::mpi_s, "s",
          "mean of its ranks, of each the MPI time of its busiest thread"),
    field("wait_s", &NodeRow::wait_s, "s", "mean of its ranks"),
    field("memory_bytes", &NodeRow::memory_bytes, "bytes", "sum of its ranks' peaks"),
    field("inside_messages", &NodeRow::inside_messages, "", "messages sent between its own ranks"),
    field("inside_bytes", &NodeRow::inside_bytes, "bytes", "bytes of these messages"),
    field("outside_messages", &NodeRow::outside_messages, "",
          "messages sent to ranks on other nodes. What went to ranks that were not read is neither "
          "here nor in `inside_messages`"),
    field("outside_bytes", &NodeRow::outside_bytes, "bytes", "bytes of these messages"),
    field("facts", &NodeRow::facts, "",
          "what is known of the machine, by key: `cpu_model`, `cpus`, `cores`, `sockets`, "
          "`numa_nodes`, `l3_bytes`, `l3_cpus`, `memory_bytes`"));

template <>
inline constexpr auto fields_of<NodeDifference> =
    fields(field("host", &NodeDifference::host, "", "name of the node").always_known(),
           field("percent", &NodeDifference::percent, "%",
                 "by how much it is slower than the median, or has less of a metric"),
           field("state", &NodeDifference::state, "",
                 "`watch`: by more than 5%; `problem`: by more than 10%, it stands out"));

template <>
inline constexpr auto fields_of<NodeFigure> =
    fields(field("figure", &NodeFigure::name, "", "a key of nodes, or the name of a metric")
               .always_known(),
           field("median", &NodeFigure::median, "", "median of the nodes"),
           field("stand_out", &NodeFigure::stand_out, "", "how many nodes stand out"),
           field("different", &NodeFigure::different, "",
                 "the nodes that differ from the median on the side that slows the run down"));

inline const std::string &source_host(const NodePair &pair, const Report &report)
{
    return report.nodes[pair.source].host;
}
inline const std::string &destination_host(const NodePair &pair, const Report &report)
{
    return report.nodes[pair.destination].host;
}

template <>
inline constexpr auto fields_of<NodePair> = fields(
    field("source", source_host, "", "host of the senders").always_known(),
    field("destination", destination_host, "", "host of the receivers; it may be the same host")
        .always_known(),
    field("messages", &NodePair::messages, "",
          "messages, summed over the matrix; ranks that were not read are left out"),
    field("bytes", &NodePair::bytes, "bytes", "bytes of these messages"),
    field("time_s", &NodePair::time_s, "s", "their time, as in matrix"));

template <>
inline constexpr auto fields_of<DistanceRow> =
    fields(field("distance", &DistanceRow::distance, "",
                 "rank of the destination minus rank of the source"),
           field("pairs", &DistanceRow::pairs, "", "how many pairs of ranks have messages at it"),
           field("messages", &DistanceRow::messages, "", "messages at it"),
           field("bytes", &DistanceRow::bytes, "bytes", "bytes of these messages"),
           field("time_s", &DistanceRow::time_s, "s", "their time, as in matrix"));

template <>
inline constexpr auto fields_of<TransferRow> = fields(
    field("locality", &TransferRow::locality, "", "`same node`, `other node`"),
    field("low_bytes", &TransferRow::low_bytes, "bytes", "the smallest size in the row"),
    field("high_bytes", &TransferRow::high_bytes, "bytes", "the largest size in the row"),
    field("messages", &TransferRow::messages, "", "how many messages"),
    field("observed_s", &TransferRow::observed_s, "s",
          "mean time of the calls that sent or received one"),
    field("possible_s", &TransferRow::possible_s, "s",
          "the smaller of what the best calls of the run took and of what was measured in "
          "MPI_Finalize (`MPROF_BASELINE`), and at most `observed_s`: messages that go on while "
          "the rank computes take less of its time"),
    field("source", &TransferRow::source, "",
          "which of the two that is: `best case of the run`, `baseline`"));

template <>
inline constexpr auto fields_of<MessageCost> = fields(
    field("locality", &MessageCost::locality, "", "`same node`, `other node`"),
    field("bytes", &MessageCost::bytes, "bytes", "the size"),
    field("best_s", &MessageCost::best_s, "s", "the shortest time"),
    field("typical_s", &MessageCost::typical_s, "s",
          "the median of the baseline, or the mean of the run's fastest lines"),
    field("source", &MessageCost::source, "",
          "`baseline`: between two idle ranks in MPI_Finalize (`MPROF_BASELINE`); `best case of "
          "the run`: of the run's calls, some of which end before the message has arrived"));

}  // namespace mprof
