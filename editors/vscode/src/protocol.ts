// Every message that is not in LSP: `docs/protocol.md` of the server is its document, `src/lsp/ext.rs` its origin.

export const EFFECTIVE_INSTRUCTIONS = 'briefing/effectiveInstructions';
export const EXPLAIN = 'briefing/explain';
export const HARNESSES = 'briefing/harnesses';
export const ROSTER = 'briefing/roster';
export const STATUS = 'briefing/status';
export const INSTRUCTION_FILES = 'briefing/instructionFiles';
export const CONTEXT_REPORT = 'briefing/contextReport';
export const COMPARE = 'briefing/compare';
export const SESSION = 'briefing/session';
export const SESSIONS = 'briefing/sessions';
export const AUDIT = 'briefing/audit';
export const READERS = 'briefing/readers';
export const PREVIEW = 'briefing/preview';
export const FETCH = 'briefing.fetch';
export const DID_CHANGE_INSTRUCTIONS = 'briefing/didChangeInstructions';

export type Fate =
  | 'loaded'
  | 'truncated'
  | 'listed'
  | 'shadowed'
  | 'dropped'
  | 'empty'
  | 'excluded'
  | 'missing'
  | 'unreadable'
  | 'pending';
export type Trigger = 'session' | 'read' | 'attach' | 'call';
export type Unit = 'bytes' | 'utf16' | 'lines' | 'tokens';

/** A question. Files are named by `file:` URIs. */
export interface Question {
  /** The file the agent would read; absent: the start of a session. */
  textDocument?: { uri: string };
  /** Where the agent is started; absent: as the settings say, else the workspace folder. */
  cwd?: string;
  /** As `id` or `id@edition`; absent: every enabled one. */
  harness?: string | string[];
  session?: string;
  promptMode?: string;
  agent?: string;
  previousAgent?: string;
  model?: string;
  alreadyLoaded?: string[];
  include?: ('text' | 'trace')[];
}

export interface Effective {
  version: number;
  briefings: Briefing[];
}

/** What one harness tells an agent. */
export interface Briefing {
  harness: string;
  edition: string;
  fidelity: 'exact' | 'unchecked' | 'files';
  /** What is known of the client's version; harnesses that users declare have none. */
  version?: { running: string | null; rules: string; checked: [string, string]; verified: string | null };
  standpoint: Standpoint;
  target: string | null;
  /** Set when the harness itself would refuse to start. */
  refusal: { path: string; message: string } | null;
  messages: Message[];
  sources: Source[];
  /** Of all instruction messages. */
  totals: Totals;
  whole: Whole;
  warnings: Warning[];
  trace?: Probe[];
}

export interface Standpoint {
  cwd: string;
  home: string;
  root: string | null;
  session: string;
  env: Record<string, string>;
}

export interface Message {
  trigger: Trigger;
  role: string;
  /** Absent: `instructions`. */
  kind?: string;
  name?: string | null;
  text?: string;
  parts?: string[];
}

/** A considered file or URL. */
export interface Source {
  path?: string;
  url?: string;
  scope: string;
  trigger: Trigger;
  fate: Fate;
  purpose: string;
  /** What shadowed or displaced it. */
  by: string | null;
  reason: string;
  size: Size | null;
  limit: Limit | null;
  /** Byte ranges of the file that reach the model. */
  kept: { start: number; end: number }[];
  message: number | null;
  part: number | null;
}

export interface Size {
  bytes: number;
  utf16: number;
  lines: number;
}

export interface Limit {
  value: number;
  unit: Unit;
  per: 'source' | 'chain';
  /** `default`, or the settings file that set it. */
  from: string;
}

export interface Tokens {
  value: number;
  method: string;
}

export interface Totals {
  bytes: number;
  utf16: number;
  tokens: Tokens;
}

export interface Warning {
  code: string;
  path?: string | null;
  message: string;
}

export interface Probe {
  path: string;
  asked: string;
  answer: string;
  rule: string;
}

export interface ExplainParams {
  textDocument: { uri: string };
  target?: string;
  cwd?: string;
  harness?: string | string[];
}

export interface Explanations {
  explanations: { harness: string; edition: string; fate: Fate | null; reason: string; probes: Probe[] }[];
}

export interface Harnesses {
  harnesses: Harness[];
}

export interface Harness {
  id: string;
  title: string;
  summary: string;
  /** Oldest first. */
  editions: { name: string; checked: [string, string] }[];
  instructionFiles: string[];
  settingsFiles: string[];
  /** The kinds of session between which it tells apart. */
  sessions?: string[];
}

/** Which harnesses are used here. */
export interface Roster {
  /** Those with the strongest reasons first. */
  mine: { harness: string; edition: string; running: string | null; because: Evidence[]; workspace?: string }[];
  others: string[];
  /** Nothing speaks for anyone; those that most people use are taken. */
  assumed?: boolean;
}

/** What shows that a harness is used. */
export interface Evidence {
  what: 'set' | 'run' | 'installed' | 'editor' | 'configured' | 'repository';
  path?: string;
  name?: string;
}

export interface Status {
  server: string;
  version: number;
  facts: number;
  answers: number;
  watchedDirectories: number;
}

export interface InstructionFiles {
  version: number;
  complete: boolean;
  files: InstructionFile[];
}

export interface InstructionFile {
  path: string;
  harnesses: { harness: string; edition: string; fate: Fate | null; trigger: Trigger | null; reason: string }[];
}

/** The parts of an instruction file, by the agents that get them. */
export interface Readers {
  version: number;
  parts: { start: Position; end: Position; told: Reader[]; missed: Reader[] }[];
}

export interface Position {
  line: number;
  character: number;
}

export interface Reader {
  harness: string;
  title: string;
  /** When the agent gets the part, or why it does not. */
  note: string;
}

export interface ContextReports {
  version: number;
  reports: ContextReport[];
}

export interface ContextReport {
  harness: string;
  edition: string;
  fidelity: 'exact' | 'unchecked' | 'files';
  /** Of all instruction messages. */
  totals: Totals;
  whole: Whole;
  /** What wrappers, headings and separators take, in bytes. */
  frame: number;
  sources: SourceShare[];
}

/** Sizes of everything that is sent, as far as its text is known. */
export interface Whole {
  bytes: number;
  tokens: Tokens;
  layers: { kind: string; bytes: number; tokens: Tokens }[];
  unmeasured: number;
}

export interface SourceShare {
  name: string;
  fate: Fate;
  trigger: Trigger;
  size: Size | null;
  /** Bytes of it that reach the model. */
  injected: number;
  tokens: Tokens;
  /** Per cent of all instruction bytes. */
  share: number;
}

/** One step of a session; files are URIs. */
export interface SessionStep {
  start?: true;
  read?: string;
  edit?: string;
  write?: string;
  mention?: string;
  shell?: string;
  cwd?: string;
  skill?: string;
  agent?: string;
  subagent?: string;
  compact?: true;
  resume?: true;
  together?: SessionStep[];
}

/** What one step of a session does. */
export interface SessionTurn {
  step: SessionStep;
  messages: Message[];
  sources: Source[];
  /** What the model had, and has no more. */
  gone: Source[];
  /** Of a session that goes on: which text it has of a file that changed meanwhile. */
  changed?: 'replaced' | 'beside';
  fidelity: Briefing['fidelity'];
  doubt?: string;
}

export interface Unfolded {
  version: number;
  harness: string;
  edition: string;
  steps: SessionTurn[];
}

/** Recorded sessions, the latest first. */
export interface Audits {
  sessions: Audit[];
}

/** What a recorded session was told. */
export interface Audit {
  id: string;
  agent: string;
  version: string | null;
  cwd: string | null;
  start: string | null;
  end: string | null;
  /** Of a sub-agent: the session that started it. */
  parent?: string;
  record: string;
  running?: boolean;
  read: boolean;
  steps: AuditStep[];
  verdicts: Verdict[];
  problems?: string[];
}

export interface AuditStep {
  when: string | null;
  kind: string;
  name?: string;
  given: AuditText[];
  gone: AuditText[];
}

export interface AuditText {
  path: string | null;
  name: string;
  how: 'recorded' | 'reconstructed' | 'unknown';
  fate: string;
  size: Size;
  sameAsDisk?: boolean;
}

export interface Verdict {
  code: string;
  message: string;
  path: string | null;
}

export interface AuditParams {
  session?: string;
  cwd?: string;
  why?: string;
}

/** One side of a comparison. */
export interface Side extends Question {
  harness: string;
  /** Anything that `git rev-parse` knows; absent: the files as they are now. */
  revision?: string;
}

export interface Comparison {
  left: string;
  right: string;
  same: boolean;
  differences: { name: string; kind: 'added' | 'lost' | 'moved' | 'cut' | 'grew' | 'shrank'; message: string }[];
  texts: { left: string; right: string };
}

/** The exact prompt, and which of its bytes are a verbatim run of which file. */
export interface Preview {
  text: string;
  spans: Span[];
}

export interface Span {
  start: number;
  end: number;
  path: string;
  pathStart: number;
}

export interface DidChangeInstructions {
  version: number;
  documents: { uri: string; harness: string; sizes: Partial<Size>; truncated: boolean }[];
}
