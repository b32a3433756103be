/// registers_pkg: the device registers of a tile, for hardware: offsets, codes and faults of all units.
///
/// tools/rtl/registers.py writes it from include/tess/machine/registers.hpp, which explains each; a test compares.
package registers_pkg;

  // A unit uses some of them.
  /* verilator lint_off UNUSEDPARAM */

  localparam logic [63:0] DevicesBytes = 64'd16777216;
  localparam logic [63:0] OwnDevices = 64'd1099494850560;
  localparam logic [63:0] UnitBytes = 64'd524288;
  localparam logic [63:0] UnitsMax = 64'd32;
  localparam logic [63:0] WindowBytes = 64'd64;
  typedef enum logic [7:0] {
    UnitInformation = 8'd0,
    UnitRanges = 8'd1,
    UnitAdapter = 8'd2,
    UnitInvoke = 8'd3,
    UnitTasks = 8'd4,
    UnitNma = 8'd5,
    UnitNca = 8'd6,
    UnitPortals = 8'd7,
    UnitCni = 8'd8,
    UnitExtended = 8'd9,
    UnitInterrupts = 8'd10
  } unit_e;
  typedef enum logic [63:0] {
    CommandStatusIdle = 64'd0,
    CommandStatusAccepted = 64'd1,
    CommandStatusFull = 64'd2,
    CommandStatusWrong = 64'd3
  } command_status_e;

  // information
  localparam logic [63:0] InformationTile = 64'd0;
  localparam logic [63:0] InformationHart = 64'd8;
  localparam logic [63:0] InformationWidth = 64'd16;
  localparam logic [63:0] InformationHeight = 64'd24;
  localparam logic [63:0] InformationHarts = 64'd32;
  localparam logic [63:0] InformationProgram = 64'd40;
  localparam logic [63:0] InformationPrograms = 64'd48;
  localparam logic [63:0] InformationClockPs = 64'd56;
  localparam logic [63:0] InformationMeasured = 64'd2048;
  localparam logic [63:0] InformationStalled = 64'd2056;
  localparam logic [63:0] InformationEndRun = 64'd2072;
  localparam logic [63:0] InformationCopies = 64'd2080;
  localparam logic [63:0] InformationCopyBytes = 64'd2088;
  localparam logic [63:0] InformationNode = 64'd2096;
  localparam logic [63:0] InformationLocalTlmFirst = 64'd2104;
  localparam logic [63:0] InformationLocalTlmEnd = 64'd2112;
  localparam logic [63:0] InformationLocalTailFirst = 64'd2120;
  localparam logic [63:0] InformationUnits = 64'd2064;
  localparam logic [63:0] InformationOwnUnits = 64'd393216;
  localparam logic [63:0] InformationOwnUnitNameBytes = 64'd56;
  localparam logic [63:0] InformationOwnUnitNumber = 64'd56;
  localparam logic [63:0] InformationTable = 64'd4096;
  localparam logic [63:0] InformationRowBytes = 64'd64;
  localparam logic [63:0] InformationRowTlm = 64'd0;
  localparam logic [63:0] InformationRowPartition = 64'd8;
  localparam logic [63:0] InformationRowPartitionBytes = 64'd16;
  localparam logic [63:0] InformationRowUncached = 64'd24;
  localparam logic [63:0] InformationRowDevices = 64'd32;
  localparam logic [63:0] InformationRowMemoryTile = 64'd40;
  localparam logic [63:0] InformationRowProgram = 64'd48;
  localparam logic [63:0] InformationRowTlmBytes = 64'd56;

  // ranges
  localparam logic [63:0] RangesOperation = 64'd0;
  localparam logic [63:0] RangesAddress = 64'd8;
  localparam logic [63:0] RangesBytes = 64'd16;
  localparam logic [63:0] RangesCounter = 64'd24;
  localparam logic [63:0] RangesTrigger = 64'd32;
  localparam logic [63:0] RangesDoorbell = 64'd56;
  typedef enum logic [63:0] {
    RangesWriteBack = 64'd1,
    RangesInvalidate = 64'd2,
    RangesFlush = 64'd3,
    RangesInvalidateL1s = 64'd4
  } ranges_operation_code_e;
  typedef enum logic [63:0] {
    RangesIdle = 64'd0,
    RangesAccepted = 64'd1,
    RangesFull = 64'd2,
    RangesWrong = 64'd3
  } ranges_status_code_e;

  // adapter
  localparam logic [63:0] AdapterOperation = 64'd0;
  localparam logic [63:0] AdapterAddress = 64'd8;
  localparam logic [63:0] AdapterBytes = 64'd16;
  localparam logic [63:0] AdapterOperand = 64'd24;
  localparam logic [63:0] AdapterExpected = 64'd32;
  localparam logic [63:0] AdapterCounter = 64'd40;
  localparam logic [63:0] AdapterResult = 64'd48;
  localparam logic [63:0] AdapterDoorbell = 64'd56;
  typedef enum logic [63:0] {
    AdapterCompareSwap = 64'd1,
    AdapterCopy = 64'd2,
    AdapterSend = 64'd3
  } adapter_operation_code_e;

  // invoke
  localparam logic [63:0] InvokeWords = 64'd5;
  localparam logic [63:0] InvokeTarget = 64'd40;
  localparam logic [63:0] InvokeCounter = 64'd48;
  localparam logic [63:0] InvokeDoorbell = 64'd56;

  // tasks
  localparam logic [63:0] TasksSource = 64'd40;
  localparam logic [63:0] TasksAlarm = 64'd48;
  localparam logic [63:0] TasksTake = 64'd56;
  localparam logic [63:0] TasksNotify = 64'd4096;
  localparam logic [63:0] TasksWaiting = 64'd4104;
  localparam logic [63:0] TasksQuiet = 64'd4112;

  // portals
  localparam logic [63:0] PortalsWindowsMax = 64'd256;
  localparam logic [63:0] PortalsAddress = 64'd0;
  localparam logic [63:0] PortalsBytes = 64'd8;
  localparam logic [63:0] PortalsSource = 64'd16;
  localparam logic [63:0] PortalsSends = 64'd24;
  localparam logic [63:0] PortalsState = 64'd32;

  // interrupts
  localparam logic [63:0] InterruptsSoftware = 64'd0;
  localparam logic [63:0] InterruptsCompare = 64'd8;
  localparam logic [63:0] InterruptsEnable = 64'd16;
  localparam logic [63:0] InterruptsPending = 64'd24;
  localparam logic [63:0] InterruptsClaim = 64'd32;
  localparam logic [63:0] InterruptsCall = 64'd40;
  localparam logic [63:0] InterruptsTakeCall = 64'd48;
  localparam logic [63:0] InterruptsTime = 64'd4096;
  localparam logic [63:0] InterruptsRaise = 64'd4104;
  localparam logic [63:0] InterruptsCallers = 64'd4112;
  localparam logic [63:0] InterruptsNone = 64'd64;
  localparam logic [63:0] InterruptsSources = 64'd64;
  localparam logic [63:0] InterruptsSourceTasks = 64'd0;
  localparam logic [63:0] InterruptsSourceWindows = 64'd1;
  localparam logic [63:0] InterruptsSourceCalls = 64'd2;
  localparam logic [63:0] InterruptsSourceFirstFree = 64'd8;

  // extended
  localparam logic [63:0] ExtendedObjectsMax = 64'd65536;

  // own_units
  localparam logic [63:0] OwnUnitsFirst = 64'd16;
  localparam logic [63:0] OwnUnitsCountMax = 64'd16;
  localparam logic [63:0] OwnUnitsHartsMax = 64'd64;
  localparam logic [63:0] OwnUnitsMessage = 64'd524224;

  // objects
  localparam logic [63:0] ObjectsHeader = 64'd8;
  localparam logic [63:0] ObjectsIndex = 64'd16;
  localparam logic [63:0] ObjectsPosition = 64'd24;
  localparam logic [63:0] ObjectsParentDst = 64'd32;
  localparam logic [63:0] ObjectsParentSrc = 64'd40;
  localparam logic [63:0] ObjectsArrayBytes = 64'd48;
  localparam logic [63:0] ObjectsTransitionBytes = 64'd32;
  localparam logic [63:0] ObjectsFrontBytes = 64'd40;
  localparam logic [63:0] ObjectsArrayFrontBytes = 64'd48;
  typedef enum logic [7:0] {
    ObjectsObject = 8'd0,
    ObjectsDataArray = 8'd1,
    ObjectsPointerArray = 8'd2
  } objects_kind_code_e;
  typedef enum logic [7:0] {
    ObjectsData = 8'd0,
    ObjectsPointer = 8'd1,
    ObjectsTransient = 8'd2,
    ObjectsDescriptor = 8'd3
  } objects_word_code_e;
  localparam logic [63:0] ObjectsMaskWords = 64'd32;
  localparam logic [63:0] ObjectsDescriptorWords = 64'd3;
  localparam logic [63:0] ObjectsRecordBytes = 64'd72;
  localparam logic [63:0] ObjectsRecordSize = 64'd0;
  localparam logic [63:0] ObjectsRecordKind = 64'd16;
  localparam logic [63:0] ObjectsRecordAlignment = 64'd17;
  localparam logic [63:0] ObjectsRecordMask = 64'd40;
  typedef enum logic [63:0] {
    GraphFaultNone = 64'd0,
    GraphFaultBadRequest = 64'd1,
    GraphFaultNullPointer = 64'd2,
    GraphFaultWildPointer = 64'd3,
    GraphFaultBadDescriptor = 64'd4,
    GraphFaultBufferFull = 64'd5,
    GraphFaultMapFull = 64'd6,
    GraphFaultStackFull = 64'd7,
    GraphFaultTransferFailed = 64'd8,
    GraphFaultMemoryError = 64'd9
  } graph_fault_e;

  // nma
  localparam logic [63:0] NmaRoot = 64'd0;
  localparam logic [63:0] NmaDestination = 64'd8;
  localparam logic [63:0] NmaRoom = 64'd16;
  localparam logic [63:0] NmaFinalAddress = 64'd24;
  localparam logic [63:0] NmaShape = 64'd32;
  localparam logic [63:0] NmaTask = 64'd40;
  localparam logic [63:0] NmaCounter = 64'd48;
  localparam logic [63:0] NmaDoorbell = 64'd56;
  localparam logic [63:0] NmaRoomBits = 64'd40;
  typedef enum logic [63:0] {
    NmaLinear = 64'd0,
    NmaHashed = 64'd1
  } nma_map_code_e;

  // nca
  localparam logic [63:0] NcaRoot = 64'd0;
  localparam logic [63:0] NcaMetadata = 64'd8;
  localparam logic [63:0] NcaRemote = 64'd16;
  localparam logic [63:0] NcaDispatch = 64'd24;
  localparam logic [63:0] NcaTask = 64'd32;
  localparam logic [63:0] NcaCounter = 64'd40;
  localparam logic [63:0] NcaDoorbell = 64'd56;

  // cni
  localparam logic [63:0] CniOperation = 64'd0;
  localparam logic [63:0] CniAddress = 64'd8;
  localparam logic [63:0] CniValue = 64'd16;
  localparam logic [63:0] CniTag = 64'd24;
  localparam logic [63:0] CniBytes = 64'd32;
  localparam logic [63:0] CniDoorbell = 64'd56;
  typedef enum logic [63:0] {
    CniConfigure = 64'd1,
    CniExamine = 64'd2,
    CniRestore = 64'd3,
    CniNext = 64'd4
  } cni_operation_code_e;
  typedef enum logic [63:0] {
    CniCacheable = 64'd0,
    CniScratchpad = 64'd1,
    CniCommandBuffer = 64'd2,
    CniCounter = 64'd3,
    CniQueue = 64'd4,
    CniMatchQueue = 64'd5
  } cni_line_code_e;
  localparam logic [63:0] CniLineBytes = 64'd64;
  localparam logic [63:0] CniRegions = 64'd4096;
  localparam logic [63:0] CniRegionBytes = 64'd64;
  localparam logic [63:0] CniRegionEntriesMax = 64'd64;
  localparam logic [63:0] CniRegionMatch = 64'd0;
  localparam logic [63:0] CniRegionMask = 64'd8;
  localparam logic [63:0] CniRegionKind = 64'd16;
  localparam logic [63:0] CniRegionWay = 64'd24;
  localparam logic [63:0] CniRegionEnable = 64'd32;
  typedef enum logic [63:0] {
    CniOwnScratchpad = 64'd1,
    CniRemoteScratchpad = 64'd2,
    CniRemoteEvents = 64'd3,
    CniMemory = 64'd4
  } cni_region_code_e;
  localparam logic [63:0] CniFaults = 64'd8192;
  localparam logic [63:0] CniFaultCode = 64'd8200;
  localparam logic [63:0] CniFaultAddress = 64'd8208;
  localparam logic [63:0] CniFaultNotify = 64'd8216;
  localparam logic [63:0] CniJobs = 64'd8224;
  localparam logic [63:0] CniScratchpadBase = 64'd8232;
  localparam logic [63:0] CniScratchpadStride = 64'd8240;
  localparam logic [63:0] CniWayBytes = 64'd8248;
  localparam logic [63:0] CniWays = 64'd8256;
  typedef enum logic [63:0] {
    CniFaultNone = 64'd0,
    CniFaultNotConfigured = 64'd1,
    CniFaultNotAllowed = 64'd2,
    CniFaultWrongAccess = 64'd3,
    CniFaultWrongShape = 64'd4,
    CniFaultAcknowledgement = 64'd5
  } cni_fault_e;
  localparam logic [63:0] CniCommandWhat = 64'd0;
  localparam logic [63:0] CniCommandDestination = 64'd8;
  localparam logic [63:0] CniCommandAcknowledgement = 64'd16;
  localparam logic [63:0] CniCommandSource = 64'd24;
  localparam logic [63:0] CniCommandData = 64'd24;
  typedef enum logic [63:0] {
    CniCopy = 64'd1,
    CniMessage = 64'd2,
    CniMessageOnce = 64'd3
  } cni_command_code_e;
  localparam logic [63:0] CniCopyBytesMax = 64'd65536;
  localparam logic [63:0] CniMessageBytesMax = 64'd40;
  localparam logic [63:0] CniCounterAdd = 64'd0;
  localparam logic [63:0] CniCounterReload = 64'd8;
  localparam logic [63:0] CniCounterPreset = 64'd16;
  localparam logic [63:0] CniCounterNotify = 64'd24;
  localparam logic [63:0] CniCounterSet = 64'd56;
  localparam logic [63:0] CniQueuePut = 64'd0;
  localparam logic [63:0] CniQueueHead = 64'd8;
  localparam logic [63:0] CniQueueTail = 64'd16;
  localparam logic [63:0] CniQueueBuffer = 64'd24;
  localparam logic [63:0] CniQueueShape = 64'd32;
  localparam logic [63:0] CniQueueNotify = 64'd40;
  localparam logic [63:0] CniMatchData = 64'd0;
  localparam logic [63:0] CniMatchRequest = 64'd8;
  localparam logic [63:0] CniMatchBalance = 64'd16;
  localparam logic [63:0] CniMatchBuffer = 64'd24;
  localparam logic [63:0] CniMatchShape = 64'd32;
  localparam logic [63:0] CniTagged = 64'd65536;
  localparam logic [63:0] CniLimitShift = 64'd24;
  localparam logic [63:0] CniTagShift = 64'd48;
  localparam logic [63:0] CniTagMax = 64'd32767;
  localparam logic [63:0] CniNoWait = 64'd9223372036854775808;
  localparam logic [63:0] CniNone = 64'd9223372036854775808;

  // region_mark
  localparam logic [63:0] RegionMarkBegins = 64'd1504;
  localparam logic [63:0] RegionMarkEnds = 64'd1505;

  /* verilator lint_on UNUSEDPARAM */
endpackage
