/* Scripts (scripts.h): finding the interpreter, and the SCRIPTS section. */
#include "record/paths/scripts.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"
#include "mprof/format/format.h"
#include "store/arena.h"

enum { PIECE_RECORDS = 32, LINE_SHIFT = 32 };

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_SCRIPTS, struct mprof_script, PIECE_RECORDS);

static struct {
    uint64_t loads;            /* when the interpreter was looked for; written atomically */
    struct python_found found; /* then */
    uint32_t slots;            /* in use, slot 0 included */
    bool is_there;             /* an interpreter; written atomically */
    bool is_refusal_noted;
} scripts = {.slots = 1};

/* What the loader told last. */
static struct {
    struct lock lock;
    uint64_t loads; /* when it was asked; 0 = never; written atomically, last */
    struct python_found found;
    bool is_old;   /* a path was walked after more was loaded; read and written atomically */
    uint64_t look; /* as `loads`, of a look that has begun; read and written atomically */
} latest;

static uint64_t count_loads(void)
{
    const struct load_counts counts = modules_counts();
    return counts.loads + counts.unloads;
}

/* With this `loads` if another thread had no later one meanwhile. */
static void ask_loader(uint64_t loads)
{
    struct python_found found;
    python_find(&found);
    if (!lock_take(&latest.lock))
        return;
    if (loads > latest.loads) {
        __atomic_store_n(&latest.loads, 0, __ATOMIC_RELAXED);
        IN_ORDER(); /* half of it is nothing */
        latest.found = found;
        IN_ORDER();
        __atomic_store_n(&latest.loads, loads, __ATOMIC_RELAXED);
    }
    lock_give(&latest.lock);
}

/* The search asks the loader again, whose hook comes here: not for the same look. */
void scripts_look(void)
{
    const uint64_t asked = __atomic_load_n(&latest.loads, __ATOMIC_RELAXED);
    if (asked == 0 || !(__atomic_load_n(&latest.is_old, __ATOMIC_RELAXED) ||
                        __atomic_load_n(&scripts.is_there, __ATOMIC_RELAXED)))
        return;
    const uint64_t loads = count_loads();
    if (loads == asked || __atomic_exchange_n(&latest.look, loads, __ATOMIC_RELAXED) == loads)
        return;
    const int program_errno = errno;
    __atomic_store_n(&latest.is_old, false, __ATOMIC_RELAXED);
    ask_loader(loads);
    (void)dlerror(); /* that was ours */
    errno = program_errno;
}

bool scripts_search(struct script_search *search)
{
    const uint64_t loads = count_loads();
    const uint64_t asked = __atomic_load_n(&latest.loads, __ATOMIC_RELAXED);
    if (asked == 0)
        ask_loader(loads);
    else if (asked != loads)
        __atomic_store_n(&latest.is_old, true, __ATOMIC_RELAXED);
    search->is_new = false;
    if (__atomic_load_n(&latest.loads, __ATOMIC_RELAXED) ==
            __atomic_load_n(&scripts.loads, __ATOMIC_RELAXED) ||
        !lock_take(&latest.lock))
        return __atomic_load_n(&scripts.is_there, __ATOMIC_RELAXED);
    search->loads = latest.loads;
    search->is_new = search->loads != 0;
    search->found = latest.found;
    lock_give(&latest.lock);
    return search->is_new && search->found.address != NULL;
}

/* Member by member: behind the layout there are bytes of no member. */
static bool is_same(const struct python *one, const struct python *other)
{
    return one->thread_state == other->thread_state && one->code_type == other->code_type &&
           one->text_type == other->text_type && one->bytes_type == other->bytes_type &&
           memcmp(&one->layout, &other->layout, sizeof one->layout) == 0;
}

/* Other threads may be reading frames. They see no change if it is still the same interpreter. */
static void adopt_interpreter(const struct script_search *search)
{
    if (!search->is_new || search->loads <= scripts.loads)
        return;
    __atomic_store_n(&scripts.loads, search->loads, __ATOMIC_RELAXED);
    __atomic_store_n(&scripts.is_there, search->found.address != NULL, __ATOMIC_RELAXED);
    scripts.found = search->found;
    if (!is_same(&python, &search->found.python))
        python = search->found.python;
}

static void make_record(const struct mprof_script *content, uint32_t flags)
{
    struct mprof_script *record = piece_make(&table, scripts.slots);
    if (record == NULL)
        return;
    record->first_line = content->first_line;
    memcpy(record->function, content->function, sizeof record->function);
    memcpy(record->file, content->file, sizeof record->file);
    /* Last: a reader of the live file sees a whole record or none. */
    __atomic_store_n(&record->flags, flags | MPROF_SCRIPT_IN_USE, __ATOMIC_RELEASE);
    scripts.slots++;
}

static void note_refusal(void)
{
    static struct mprof_script refusal; /* under the lock */
    if (scripts.is_refusal_noted)
        return;
    snprintf(refusal.function, sizeof refusal.function, "%s", scripts.found.name);
    snprintf(refusal.file, sizeof refusal.file, "%s", scripts.found.why);
    make_record(&refusal, MPROF_SCRIPT_UNREAD);
    scripts.is_refusal_noted = true;
}

int scripts_native_frames(const struct script_search *search, const struct stack_frame *frames,
                          int count)
{
    adopt_interpreter(search);
    if (scripts.found.address == NULL)
        return 0;
    const uint32_t interpreter = module_of((uintptr_t)scripts.found.address).module;
    for (int i = 0; i < count && interpreter != 0; i++) {
        if (module_of(frames[i].return_address - 1).module != interpreter)
            continue;
        if (scripts.found.why == NULL)
            return i + 1;
        note_refusal();
        break;
    }
    return 0;
}

void scripts_read(struct script_path *script)
{
    script->count = python_frames(script->frames, SCRIPT_MAX_FRAMES, &script->cut);
}

bool scripts_are_current(const struct script_path *script)
{
    return python_same_frames(script->frames, script->count, script->cut);
}

/* What a record of this function holds. */
static void fill_script(struct mprof_script *content, const struct python_line *line)
{
    _Static_assert(sizeof content->function == sizeof line->name, "all of the name");
    _Static_assert(sizeof content->file == sizeof line->file, "all of the file's name");
    memset(content, 0, sizeof *content);
    content->flags = MPROF_SCRIPT_IN_USE | (line->name_cut ? MPROF_SCRIPT_FUNCTION_CUT : 0u) |
                     (line->file_cut ? MPROF_SCRIPT_FILE_CUT : 0u);
    content->first_line = line->first_line;
    memcpy(content->function, line->name, strlen(line->name));
    memcpy(content->file, line->file, strlen(line->file));
}

/* The slot of the function; 0 = no room. */
static uint32_t slot_of(const struct python_line *line)
{
    static struct mprof_script content; /* under the lock */
    fill_script(&content, line);
    for (uint32_t slot = 1; slot < scripts.slots; slot++)
        if (memcmp(piece_record(&table, slot), &content, sizeof content) == 0)
            return slot;
    const uint32_t slot = scripts.slots;
    make_record(&content, content.flags);
    return scripts.slots > slot ? slot : 0;
}

/* What `import` does between the line that imports and the module that is imported. Python also
 * leaves it out of what it prints. */
static bool is_importing(const struct python_line *line)
{
    static const char importing[] = "<frozen importlib._bootstrap";
    return strncmp(line->file, importing, sizeof importing - 1) == 0;
}

int scripts_places(struct script_path *script, struct place *places, int capacity, bool *cut,
                   bool *whole)
{
    static struct python_line line; /* under the lock */
    int count = 0;
    *cut = *cut || script->cut;
    for (int i = 0; i < script->count; i++) {
        python_describe(&script->frames[i], &line);
        if (is_importing(&line))
            continue;
        if (count == capacity) { /* what is around need not be compared */
            script->count = i;
            script->cut = *cut = true;
            break;
        }
        const uint32_t slot = slot_of(&line);
        *whole = *whole && slot != 0;
        if (slot != 0)
            places[count++] = (struct place){
                .script = slot, .offset = (uint64_t)line.line << LINE_SHIFT | line.instruction};
    }
    return count;
}

void scripts_forget(void)
{
    scripts.slots = 1;
    scripts.is_refusal_noted = false;
    memset(table.pieces, 0, sizeof table.pieces);
}
