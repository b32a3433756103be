"""state_rules: where each state of the copying machine leads, and what it has the parts do, as rules in Python."""

from nma_names import COUNT, DATA_ARRAY, DESCRIPTOR, OFFSET, POINTER, POINTER_ARRAY, STATES, TRANSIENT, WORD, register
from streams import parameter

CHARGED, LANES = parameter("STATE_CYCLES", 1) - 1, parameter("LANES", 8)
DESCRIPTOR_WORDS, RECORD = register("ObjectsDescriptorWords"), 72
BAD_REQUEST, NULL_POINTER, WILD_POINTER, BAD_DESCRIPTOR, BUFFER_FULL, MAP_FULL = (
    register(f"GraphFault{name}")
    for name in ("BadRequest", "NullPointer", "WildPointer", "BadDescriptor", "BufferFull", "MapFull")
)
FAULTS = (0, BAD_REQUEST, NULL_POINTER, WILD_POINTER, BAD_DESCRIPTOR, BUFFER_FULL, MAP_FULL)
PARTS = ("addresses", "cursor", "lines", "map", "stream")


class Machine:
    """The registers, of which those that nothing has set yet are missing."""

    def __init__(self, settings: dict[str, int]) -> None:
        self.settings = settings
        self.state, self.pause = "Idle", 0
        self.registers: dict[str, object] = {"out_full": 0, "failed": None, "ends": False}

    def begin(self, at: dict[str, int]) -> None:
        """What the state does with these inputs: `does` in this cycle, the rest at its end."""
        now = self.registers
        self.at, self.new = at, dict(now)
        self.to, self.onward, self.charged, self.fails = "", "", False, None
        self.does = {part: set() for part in PARTS}
        self.does |= {"new_index": DESCRIPTOR_WORDS - 1, "set_type": 0, "sets_parent": 0}
        self.does["range"] = (self.settings["map_offset"], at["map_count"])
        self.new |= {"failed": None, "ends": False, "same": at["answer"] == now.get("child")}
        # What follows a state that has failed is known one cycle later.
        if now["failed"] is not None:
            self.new["fault"] = now["failed"]
        if now["ends"]:
            self.new |= {"next": "Drain", "fetches": False}
        if self.pause:
            return
        self.after, self.fetches = self.new.get("next"), self.new.get("fetches")
        (getattr(self, f"at_{self.state}", None) or self.waits)()
        self.get_lines()
        self.store_words()
        if self.fails is not None:
            self.new |= {"failed": self.fails, "ends": True}
            self.to, self.charged = "Clean", False
        assert self.to in STATES

    def end(self) -> None:
        """The clock edge."""
        self.registers = self.new
        if self.pause:
            self.pause -= 1
        else:
            self.state, self.pause = self.to, CHARGED if self.charged else 0

    def go(self, to: str, *, charged: bool = False) -> None:
        self.to, self.charged = to, self.charged or charged

    def wait_for(self, condition: int, to: str) -> bool:
        self.to = to if condition else self.state
        return bool(condition)

    def moves(self, part: str, what: str, condition: int | bool = True) -> None:
        if condition:
            self.does[part].add(what)

    def get_lines(self) -> None:
        """A state that needs a line gets it first, and is entered again."""
        at = self.at
        if at["original_missing"] or at["copy_missing"] or at["store_missing"]:
            self.new |= {"next": self.state, "fills_copy": int(not at["original_missing"])}
            self.new["fetches"] = bool(at["original_missing"] or at["copy_missing"])
            self.to = "Fetch" if at["original_missing"] or (at["copy_missing"] and at["copy_has_line"]) else "Clean"
        elif self.onward:
            self.to = self.onward

    def store_words(self) -> None:
        at = self.at
        if not at["copy_has_line"] or self.state not in ("Copy", "Point"):
            return
        if self.state == "Point" or at["copies"]:
            self.moves("cursor", "copied")
            self.moves("addresses", "copy")
            self.charged = True
            reads_on = self.state == "Copy" and not at["last"] and at["original_has"] and not at["mask_missing"]
            self.moves("addresses", "original", reads_on)
            self.moves("cursor", "load", reads_on)
        self.take_word()

    def take_word(self) -> None:
        at = self.at
        self.new["word"] = 0 if at["code"] == TRANSIENT else at["original_word"]
        self.new["is_null"] = at["original_word"] == 0
        names = {POINTER: "WordPointer", DESCRIPTOR: "WordDescriptor"}
        self.new["what"] = names.get(at["code"], "WordData")

    def waits(self) -> None:
        raise AssertionError(f"no rule for {self.state}")

    # ---- A job ----

    def at_Idle(self) -> None:
        if self.wait_for(self.at["job_valid"], "Start"):
            self.new["job"] = self.at["job"]

    def at_Start(self) -> None:
        job = self.registers["job"]
        self.moves("lines", "clear")
        self.moves("map", "begins")
        self.new |= {"fault": 0, "used": job["begins"] if job["sound"] else job["target"], "objects": 0, "root": 0}
        self.new |= {"dst": 0, "src": 0, "child": job["root"], "back": 0}
        if not job["sound"]:
            self.new["fault"] = BAD_REQUEST
            self.go("Result")
        elif job["root"] == 0:
            self.fails = NULL_POINTER
        elif job["hashed"]:
            self.go("Table")
        else:
            self.go("Advance", charged=True)

    def at_Table(self) -> None:
        self.new |= {"range_at": self.settings["map_offset"], "range_left": self.at["table_words"]}
        self.fails = MAP_FULL if self.at["map_misfit"] else None
        self.go("Clear")

    def pass_range(self, words: int) -> None:
        self.new["range_at"] = self.registers["range_at"] + 8 * words & OFFSET
        self.new["range_left"] = self.registers["range_left"] - words & COUNT

    def at_Clear(self) -> None:
        taken = self.at["taken"]["write"]
        if taken:
            self.pass_range(LANES)
        if self.wait_for(taken and self.registers["range_left"] <= LANES, "Advance"):
            self.charged = True

    def at_Drain(self) -> None:
        self.wait_for(self.at["drained"], "Result")

    def at_Result(self) -> None:
        self.wait_for(self.at["result_ready"], "Idle")

    # ---- To a child ----

    def at_Advance(self) -> None:
        self.moves("addresses", "original")
        self.go("Locate")

    def at_Locate(self) -> None:
        self.moves("addresses", "original")
        self.fails = WILD_POINTER if self.at["wild"] else None
        self.go("LoadHeader")

    def at_LoadHeader(self) -> None:
        self.new |= {"header": self.at["original_word"] & 0xFFFFFFFF, "back": 0}
        self.moves("addresses", "original", self.at["original_has"])
        self.charged, self.onward = bool(self.at["original_has"]), "Type"

    def at_Type(self) -> None:
        header = self.registers["header"]
        self.new["record_at"] = self.settings["types_address"] + RECORD * header & WORD
        self.fails = BAD_DESCRIPTOR if header >= self.settings["types_count"] else None
        self.go("TypeAsk")

    def at_TypeAsk(self) -> None:
        self.wait_for(self.at["record_ready"], "TypeWait")

    def at_TypeWait(self) -> None:
        to = "UpPosition" if self.registers["back"] else "Size"
        if self.wait_for(self.at["record_answer_valid"], to):
            self.does["set_type"] = 1
            self.moves("cursor", "forget_mask")
            if self.at["record_fault"] or not self.at["record_sound"]:
                self.fails = BAD_DESCRIPTOR

    def at_Size(self) -> None:
        at, back = self.at, self.registers["back"]
        word = at["copy_word"] if back else at["original_word"]
        self.new["bytes"] = word if at["is_array"] else at["type_bytes"]
        self.moves("addresses", "original", not back and not at["original_missing"])
        self.moves("addresses", "copy", back and not at["copy_missing"])
        if at["front_wild"]:
            self.fails = WILD_POINTER
        else:
            self.onward = "Check"

    def at_Check(self) -> None:
        at = self.at
        part = self.registers["bytes"] % 8 != 0 if at["kind"] == POINTER_ARRAY else self.registers["back"]
        if at["is_array"] and part:
            self.fails = BAD_DESCRIPTOR
        elif at["beyond"]:
            self.fails = WILD_POINTER
        self.go("Room")

    def at_Room(self) -> None:
        at = self.at
        if not self.registers["back"]:
            self.fails = BUFFER_FULL if at["no_room"] else None
            self.go("Insert", charged=True)
            return
        self.new |= {"src": self.registers["child"], "dst": at["object"]}
        self.does["addresses"] = {"original", "copy"}
        self.moves("cursor", "resumes")
        self.fails = WILD_POINTER if at["no_room"] or at["position_beyond"] else None
        self.go("Word" if at["remain"] else "Leave", charged=True)

    # ---- The map ----

    def probe_or(self, to: str) -> None:
        hashed = self.registers["job"]["hashed"]
        self.go("Probe" if hashed else to, charged=bool(hashed))

    def at_Insert(self) -> None:
        self.new |= {"used": self.at["end_at"], "objects": self.registers["objects"] + 1 & 0xFFFFFFFF}
        self.new["inserts"] = True
        self.moves("map", "insert")
        self.fails = MAP_FULL if self.at["map_full"] else None
        self.probe_or("InsertOriginal")

    def at_InsertOriginal(self) -> None:
        self.moves("map", "hit")
        self.wait_for(self.at["taken"]["write"], "InsertCopy")

    def at_InsertCopy(self) -> None:
        is_root = self.registers["dst"] == 0
        to = ("SaveBytes" if self.at["is_array"] else "SaveParentSrc") if is_root else "ParentWord"
        if self.wait_for(self.at["taken"]["write"], to):
            self.moves("map", "inserted")
            self.moves("addresses", "copy", is_root)

    def at_Find(self) -> None:
        self.new["inserts"] = False
        self.moves("map", "find")
        self.moves("stream", "begins", not self.registers["job"]["hashed"])
        self.probe_or("Search")

    def at_Search(self) -> None:
        at = self.at
        self.moves("stream", "issued", at["taken"]["searched"])
        if at["found"]:
            self.wait_for(not at["access_valid"], "Known")
        elif self.wait_for(at["stream_complete"], "Advance"):
            self.charged = True

    def at_Probe(self) -> None:
        self.wait_for(self.at["taken"]["read"], "ProbeWait")

    def at_ProbeWait(self) -> None:
        if self.wait_for(self.at["answered"], "Probed"):
            self.new["word"] = self.at["answer"]

    def at_Probed(self) -> None:
        is_child, is_empty = self.registers["same"], self.registers["word"] == 0
        if not is_child and not is_empty:
            self.moves("map", "next")
            self.fails = MAP_FULL if self.at["map_round"] else None
            self.go("Probe", charged=True)
        elif self.registers["inserts"]:
            self.go("InsertOriginal")
        elif is_child:
            self.moves("map", "hit")
            self.go("Known")
        else:
            self.go("Advance", charged=True)

    def at_Known(self) -> None:
        self.wait_for(self.at["taken"]["read"], "KnownWait")

    def at_KnownWait(self) -> None:
        if self.wait_for(self.at["answered"], "Point"):
            self.new["word"] = self.at["answer"]

    # ---- Words ----

    def save(self, to: str) -> None:
        self.moves("addresses", "copy", self.at["copy_has_line"])
        self.onward = to

    def at_ParentWord(self) -> None:
        self.save("SavePosition")

    def at_SavePosition(self) -> None:
        self.save("SaveIndex")

    def at_SaveIndex(self) -> None:
        self.save("SaveBytes" if self.at["is_array"] else "SaveParentSrc")

    def at_SaveBytes(self) -> None:
        self.save("SaveParentSrc")

    def at_SaveParentSrc(self) -> None:
        self.save("SaveParentDst")

    def at_SaveParentDst(self) -> None:
        self.save("SaveHeader")

    def at_SaveHeader(self) -> None:
        at = self.at
        if self.registers["dst"] == 0:
            self.new["root"] = at["final_copy"]
        self.new |= {"src": self.registers["child"], "dst": at["object"]}
        self.new |= {"range_at": at["object"], "range_left": at["words"]}
        self.does["cursor"] |= {"begins", "set_index"}
        self.does |= {"new_index": 0, "range": (at["original_at"], at["words"])}
        self.moves("stream", "begins", at["kind"] == DATA_ARRAY)
        self.save(("Stream" if at["kind"] == DATA_ARRAY else "Word") if at["words"] else "Leave")
        self.charged = bool(at["copy_has_line"]) and self.onward != "Stream"

    def at_Stream(self) -> None:
        taken, full = self.at["taken"], self.registers["out_full"]
        self.moves("stream", "issued", taken["streamed"])
        if taken["stored"]:
            self.pass_range(self.at["out_words"])
            self.new["out_full"] = 0
        elif not full and self.at["stream_head_full"]:
            self.moves("stream", "take")
            self.new["out_full"] = 1
        if self.wait_for(taken["stored"] and self.registers["range_left"] == self.at["out_words"], "Leave"):
            self.charged = True

    def at_Word(self) -> None:
        at = self.at
        loads = at["original_has"] and not at["mask_missing"]
        if at["mask_missing"]:
            self.new["record_at"] = at["mask_at"] + 8 * (at["position"] // 32) & WORD
        self.moves("addresses", "original", loads)
        self.moves("cursor", "load", loads)
        self.onward = "MaskAsk" if at["mask_missing"] else "Copy"
        self.take_word()

    def at_MaskAsk(self) -> None:
        self.wait_for(self.at["record_ready"], "MaskWait")

    def at_MaskWait(self) -> None:
        if self.wait_for(self.at["record_answer_valid"], "Word"):
            self.moves("cursor", "set_mask")
            self.fails = BAD_DESCRIPTOR if self.at["record_fault"] else None

    def at_Copy(self) -> None:
        at, what = self.at, self.registers["what"]
        self.moves("cursor", "set_index", what == "WordDescriptor")
        if what != "WordData":
            self.new["child"] = self.registers["word"]
        if at["copies"]:
            reads_on = at["original_has"] and not at["mask_missing"]
            self.onward = "Leave" if at["last"] else "Copy" if reads_on else "Word"
        elif what == "WordElements":
            self.fails = NULL_POINTER
        elif what == "WordDescriptor" and at["left"] < DESCRIPTOR_WORDS:
            self.fails = BAD_DESCRIPTOR
        elif self.registers["is_null"]:
            self.moves("addresses", "original")
            self.onward = "NoElements"
        else:
            self.onward, self.charged = "Find", True

    def at_NoElements(self) -> None:
        word = self.at["original_word"]
        self.new |= {"word": word, "is_null": word == 0, "what": "WordElements"}
        self.moves("addresses", "original", self.at["original_has"])
        self.onward = "Copy"

    def at_Point(self) -> None:
        self.onward = "Leave" if self.at["last"] else "Word"

    # ---- To a parent ----

    def at_Leave(self) -> None:
        self.moves("addresses", "copy")
        self.go("Retreat")

    def at_Retreat(self) -> None:
        self.new["child"] = self.at["copy_word"]
        self.moves("addresses", "copy", self.at["copy_has"])
        self.onward = "Up"

    def at_Up(self) -> None:
        self.new["word"] = self.at["copy_word"]
        self.onward = "UpCheck"

    def at_UpCheck(self) -> None:
        self.moves("addresses", "copy")
        self.does["sets_parent"] = 1
        if self.registers["word"]:
            self.fails = WILD_POINTER if self.at["wild"] or self.at["parent_wild"] else None
            self.go("UpHeader")
        else:
            # The root's parent is null: all is copied.
            self.fails = None if self.at["wild"] else WILD_POINTER
            self.new["ends"] = True
            self.go("Clean")

    def at_UpHeader(self) -> None:
        self.new |= {"header": self.at["copy_word"] & 0xFFFFFFFF, "back": 1}
        self.onward, self.charged = "Type", bool(self.at["copy_has"])
        self.does["addresses"] = {"original", "copy"} if self.at["copy_has"] else set()

    def at_UpPosition(self) -> None:
        self.new["word"] = self.at["copy_word"]
        self.moves("addresses", "copy", self.at["copy_has"])
        self.onward = "UpIndex"

    def at_UpIndex(self) -> None:
        self.does["cursor"] |= {"set_position", "set_index"}
        self.does["new_index"] = self.at["copy_word"] & 3
        self.moves("addresses", "copy", self.at["copy_has"])
        if self.registers["word"] >> 37 == 0:
            self.onward = "Size"
        else:
            self.fails = WILD_POINTER if self.at["copy_has"] else None

    # ---- Lines ----

    def at_Fetch(self) -> None:
        self.wait_for(self.at["taken"]["read"], "FetchWait")

    def at_FetchWait(self) -> None:
        if self.wait_for(self.at["answered"], self.registers["next"]):
            self.moves("lines", "fill_copy" if self.registers["fills_copy"] else "fill_original")

    def at_Clean(self) -> None:
        run = self.at["taken"]["run"]
        self.moves("lines", "written", run)
        is_clean = not self.at["copy_dirty"] or (run and self.at["run_last"])
        self.moves("lines", "take_copy", is_clean)
        self.wait_for(is_clean, "Fetch" if self.fetches else self.after)
