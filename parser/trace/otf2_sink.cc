// Ticks are nanoseconds. A location is a thread; a region is a function at a call site, so that it
// has a source line. Definitions are written last, when it is known what there is to define.
//
// Readers match messages by their tags. Those of the program are recorded with events only, so each
// message has its number as its tag.
#include "trace/trace_sink.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <otf2/otf2.h>
#include <utility>

namespace mprof {
namespace {

constexpr uint64_t event_chunk = 262'144, definition_chunk = 4'194'304;  // bytes

struct CollectiveName {
    std::string_view name;  // of the function, without the prefix, in upper case
    OTF2_CollectiveOp op;
};
constexpr CollectiveName collective_names[] = {
    {"BARRIER", OTF2_COLLECTIVE_OP_BARRIER},
    {"BCAST", OTF2_COLLECTIVE_OP_BCAST},
    {"GATHER", OTF2_COLLECTIVE_OP_GATHER},
    {"GATHERV", OTF2_COLLECTIVE_OP_GATHERV},
    {"SCATTER", OTF2_COLLECTIVE_OP_SCATTER},
    {"SCATTERV", OTF2_COLLECTIVE_OP_SCATTERV},
    {"ALLGATHER", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"ALLGATHERV", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"ALLTOALL", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"ALLTOALLV", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"ALLTOALLW", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"ALLREDUCE", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"REDUCE", OTF2_COLLECTIVE_OP_REDUCE},
    {"REDUCE_SCATTER", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"REDUCE_SCATTER_BLOCK", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"SCAN", OTF2_COLLECTIVE_OP_SCAN},
    {"EXSCAN", OTF2_COLLECTIVE_OP_EXSCAN}};

uint64_t otf2_time(double seconds)
{
    return static_cast<uint64_t>(trace_ns(seconds));
}

// Which collective it is, if OTF2 knows it.
const CollectiveName *collective_of(const TraceFunction &function)
{
    constexpr size_t prefix = 4;  // "MPI_"
    if (!function.collective || function.name.size() <= prefix)
        return nullptr;
    std::string name = function.name.substr(prefix);
    if (name.ends_with("_c"))
        name.resize(name.size() - 2);
    for (char &letter : name)
        letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    const auto *const at =
        std::find_if(std::begin(collective_names), std::end(collective_names),
                     [&](const CollectiveName &one) { return one.name == name; });
    return at == std::end(collective_names) ? nullptr : at;
}

OTF2_FlushType flush_always(void *, OTF2_FileType, OTF2_LocationRef, void *, bool)
{
    return OTF2_FLUSH;
}

// OTF2 would print what goes wrong. Its functions also return it.
OTF2_ErrorCode say_nothing(void *, const char *, uint64_t, const char *, OTF2_ErrorCode code,
                           const char *, va_list)
{
    return code;
}

class Otf2Sink : public TraceSink {
public:
    explicit Otf2Sink(std::string folder) : folder_(std::move(folder)) {}
    ~Otf2Sink() override
    {
        if (archive_ != nullptr)
            OTF2_Archive_Close(archive_);
    }

    void begin(const Trace &trace) override;
    void add_phase(const PhaseRow & /*phase*/) override {}  // of single calls alone
    void begin_counter(const CounterTrack & /*track*/) override {}
    void add_value(double /*time_s*/, double /*value*/) override {}
    void add_call(const DrawnCall &drawn) override;
    std::string end() override;

private:
    using Member = std::vector<uint32_t>;  // by rank of a communicator: its number in the group

    void check(OTF2_ErrorCode code)
    {
        if (code != OTF2_SUCCESS && problem_.empty())
            problem_ = OTF2_Error_GetDescription(code);
    }
    void number_members();
    uint32_t region_of(const TraceCall &call);
    uint32_t text(const std::string &text);
    void write_received(OTF2_EvtWriter *writer, const DrawnCall &drawn);
    void close_events();
    void define_tree();
    void define_regions();
    void define_communicators();
    uint32_t peer_of(const TraceCall &call) const;

    const std::string folder_;
    const Trace *trace_ = nullptr;
    OTF2_Archive *archive_ = nullptr;
    std::vector<OTF2_EvtWriter *> writers_;                      // by thread
    std::vector<uint64_t> events_;                               // likewise
    std::vector<size_t> first_threads_;                          // of the ranks, in their order
    std::vector<Member> members_;                                // by communicator
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> regions_;  // of function and place
    OTF2_GlobalDefWriter *definitions_ = nullptr;
    std::map<std::string, uint32_t> texts_;
    uint64_t end_ = 0;
    std::string problem_;
};

// Ranks without a file have no location.
void Otf2Sink::number_members()
{
    std::map<uint32_t, uint32_t> numbers;  // of ranks
    for (size_t thread = 0; thread < trace_->threads.size(); thread++)
        if (numbers.try_emplace(trace_->threads[thread].rank, first_threads_.size()).second)
            first_threads_.push_back(thread);
    for (const TraceCommunicator &communicator : trace_->communicators) {
        Member &member = members_.emplace_back();
        uint32_t count = 0;
        for (const uint32_t rank : communicator.members)
            member.push_back(numbers.count(rank) != 0 ? count++ : UINT32_MAX);
    }
}

void Otf2Sink::begin(const Trace &trace)
{
    trace_ = &trace;
    OTF2_Error_RegisterCallback(say_nothing, nullptr);
    number_members();
    archive_ = OTF2_Archive_Open(folder_.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk,
                                 definition_chunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr) {
        problem_ = "the folder cannot be made";
        return;
    }
    static const OTF2_FlushCallbacks callbacks = {flush_always, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_OpenEvtFiles(archive_));
    events_.resize(trace.threads.size());
    for (size_t thread = 0; thread < trace.threads.size() && problem_.empty(); thread++) {
        writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, thread));
        if (writers_.back() == nullptr)
            problem_ = "too many locations";
    }
}

uint32_t Otf2Sink::region_of(const TraceCall &call)
{
    return regions_.try_emplace({call.function, call.place}, static_cast<uint32_t>(regions_.size()))
        .first->second;
}

void Otf2Sink::write_received(OTF2_EvtWriter *writer, const DrawnCall &drawn)
{
    for (const ReceivedMessage &message : drawn.received) {
        const auto &communicator = trace_->communicators[message.communicator];
        const uint32_t sender = trace_->threads[message.sender].rank;
        const auto at = std::find(communicator.members.begin(), communicator.members.end(), sender);
        if (at == communicator.members.end())
            continue;
        const auto rank = static_cast<size_t>(at - communicator.members.begin());
        check(OTF2_EvtWriter_MpiRecv(writer, nullptr, otf2_time(drawn.end_s),
                                     members_[message.communicator][rank], message.communicator - 1,
                                     static_cast<uint32_t>(message.flow), message.bytes));
    }
}

// Its number in the communicator's group.
uint32_t Otf2Sink::peer_of(const TraceCall &call) const
{
    const TraceCommunicator &communicator = trace_->communicators[call.communicator];
    const Member &member = members_[call.communicator];
    if (!communicator.is_inter)
        return call.peer >= 0 && static_cast<size_t>(call.peer) < member.size()
                   ? member[static_cast<size_t>(call.peer)]
                   : UINT32_MAX;
    for (const TraceMessage &message : call.messages) {
        const auto at =
            std::find(communicator.members.begin(), communicator.members.end(), message.rank);
        if (message.is_sent && at != communicator.members.end())
            return member[static_cast<size_t>(at - communicator.members.begin())];
    }
    return UINT32_MAX;
}

void Otf2Sink::add_call(const DrawnCall &drawn)
{
    if (!problem_.empty())
        return;
    OTF2_EvtWriter *const writer = writers_[drawn.thread];
    const TraceCall &call = drawn.call;
    const uint64_t begin = otf2_time(drawn.begin_s), end = otf2_time(drawn.end_s);
    const uint32_t region = region_of(call);
    const uint32_t peer = peer_of(call);
    const CollectiveName *const collective =
        call.communicator != 0 ? collective_of(trace_->functions[call.function]) : nullptr;
    check(OTF2_EvtWriter_Enter(writer, nullptr, begin, region));
    if (drawn.sent_flow != 0 && peer != UINT32_MAX)
        check(OTF2_EvtWriter_MpiSend(writer, nullptr, begin, peer, call.communicator - 1,
                                     static_cast<uint32_t>(drawn.sent_flow), call.bytes));
    if (collective != nullptr) {
        check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, begin));
        check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, end, collective->op,
                                              call.communicator - 1, peer, call.bytes, 0));
    }
    write_received(writer, drawn);
    check(OTF2_EvtWriter_Leave(writer, nullptr, end, region));
    end_ = std::max(end_, end);
}

void Otf2Sink::close_events()
{
    for (size_t thread = 0; thread < writers_.size(); thread++) {
        check(OTF2_EvtWriter_GetNumberOfEvents(writers_[thread], &events_[thread]));
        check(OTF2_Archive_CloseEvtWriter(archive_, writers_[thread]));
    }
    check(OTF2_Archive_CloseEvtFiles(archive_));
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (size_t thread = 0; thread < writers_.size(); thread++)
        check(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, thread)));
    check(OTF2_Archive_CloseDefFiles(archive_));
}

// Stands before what refers to it.
uint32_t Otf2Sink::text(const std::string &text)
{
    const auto [at, is_new] = texts_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new)
        check(OTF2_GlobalDefWriter_WriteString(definitions_, at->second, text.c_str()));
    return at->second;
}

void Otf2Sink::define_tree()
{
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
        definitions_, 0, text(trace_->program), text("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (size_t node = 0; node < trace_->nodes.size(); node++)
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_,
                                                       static_cast<uint32_t>(node + 1),
                                                       text(trace_->nodes[node]), text("node"), 0));
    for (size_t number = 0; number < first_threads_.size(); number++) {
        const TraceThread &thread = trace_->threads[first_threads_[number]];
        check(OTF2_GlobalDefWriter_WriteLocationGroup(
            definitions_, static_cast<uint32_t>(number),
            text("rank " + std::to_string(thread.rank)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
            static_cast<uint32_t>(thread.node + 1), OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (size_t thread = 0; thread < trace_->threads.size(); thread++) {
        const auto group = std::upper_bound(first_threads_.begin(), first_threads_.end(), thread) -
                           first_threads_.begin() - 1;
        check(OTF2_GlobalDefWriter_WriteLocation(
            definitions_, thread, text(trace_->threads[thread].name()),
            OTF2_LOCATION_TYPE_CPU_THREAD, events_[thread], static_cast<uint32_t>(group)));
    }
}

void Otf2Sink::define_regions()
{
    std::vector<std::pair<uint32_t, uint32_t>> keys(regions_.size());
    for (const auto &[key, number] : regions_)
        keys[number] = key;
    for (uint32_t number = 0; number < keys.size(); number++) {
        const auto &key = keys[number];
        const TraceFunction &function = trace_->functions[key.first];
        const std::string &place = trace_->places[key.second];
        const size_t colon = place.rfind(':');
        const bool has_line = colon != std::string::npos && colon + 1 < place.size() &&
                              place.find_first_not_of("0123456789", colon + 1) == std::string::npos;
        const auto line =
            has_line ? static_cast<uint32_t>(std::strtoul(place.c_str() + colon + 1, nullptr, 10))
                     : 0;
        const OTF2_RegionRole role = function.collective ? OTF2_REGION_ROLE_COLL_OTHER
                                     : function.sends || function.receives
                                         ? OTF2_REGION_ROLE_POINT2POINT
                                         : OTF2_REGION_ROLE_FUNCTION;
        check(OTF2_GlobalDefWriter_WriteRegion(
            definitions_, number, text(function.name), text(function.name), text(place), role,
            OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, text(has_line ? place.substr(0, colon) : ""),
            line, line));
    }
}

void Otf2Sink::define_communicators()
{
    const std::vector<uint64_t> locations(first_threads_.begin(), first_threads_.end());
    check(OTF2_GlobalDefWriter_WriteGroup(
        definitions_, 0, text("ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, static_cast<uint32_t>(locations.size()), locations.data()));
    std::map<uint32_t, uint64_t> numbers;  // of ranks
    for (size_t number = 0; number < first_threads_.size(); number++)
        numbers[trace_->threads[first_threads_[number]].rank] = number;
    for (uint32_t i = 1; i < trace_->communicators.size(); i++) {
        const TraceCommunicator &communicator = trace_->communicators[i];
        std::vector<uint64_t> group;
        for (const uint32_t rank : communicator.members)
            if (const auto at = numbers.find(rank); at != numbers.end())
                group.push_back(at->second);
        check(OTF2_GlobalDefWriter_WriteGroup(definitions_, i, text(""), OTF2_GROUP_TYPE_COMM_GROUP,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                              static_cast<uint32_t>(group.size()), group.data()));
        check(OTF2_GlobalDefWriter_WriteComm(definitions_, i - 1, text(communicator.name), i,
                                             OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
}

std::string Otf2Sink::end()
{
    if (archive_ == nullptr)
        return problem_;
    if (problem_.empty())
        close_events();
    if (problem_.empty()) {
        constexpr uint64_t ticks_per_s = 1'000'000'000;
        definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
        check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, ticks_per_s, 0, end_ + 1,
                                                        OTF2_UNDEFINED_TIMESTAMP));
        text("");
        define_tree();
        define_regions();
        define_communicators();
    }
    check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
    return problem_;
}

}  // namespace

std::string otf2_problem()
{
    return "";
}

std::unique_ptr<TraceSink> otf2_sink(const std::string &folder)
{
    return std::make_unique<Otf2Sink>(folder);
}

}  // namespace mprof
