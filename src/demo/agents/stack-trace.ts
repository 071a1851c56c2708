/** A call in a stack trace, as the trace names it. */
export interface StackFrame {
  readonly function: string;
  readonly file: string;
  readonly line: number;
}

export interface StackTrace {
  readonly language: 'javascript' | 'java' | 'python';
  readonly exception: string;
  readonly message: string;
  /** The innermost call first. */
  readonly frames: readonly StackFrame[];
}

const JAVASCRIPT_FRAME = /^\s*at (?:(?<function>[^(]+?) \()?(?<file>[^()]+?):(?<line>\d+):\d+\)?$/;
const JAVA_FRAME = /^\s*at (?<function>[\w$.<>]+)\((?<file>[^():]+):(?<line>\d+)\)$/;
const PYTHON_FRAME = /^\s*File "(?<file>[^"]+)", line (?<line>\d+), in (?<function>.+)$/;
const EXCEPTION =
  /^(?:Exception in thread "[^"]*" |Uncaught )?(?<exception>[A-Za-z_$][\w$.]*)(?:: (?<message>.*))?$/;

/** Files that are no one's own code: of the runtime, and of packages. */
const LIBRARY =
  /^node:|node_modules|site-packages|lib\/python|^(?:java|javax|jdk|sun|org\.springframework)\./;

const FORMATS = [
  ['javascript', JAVASCRIPT_FRAME],
  ['java', JAVA_FRAME],
  ['python', PYTHON_FRAME],
] as const;

/** Takes a stack trace apart; undefined where the text has no frames of a known kind. */
export function parseStackTrace(text: string): StackTrace | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  for (const [language, pattern] of FORMATS) {
    const frames = lines.flatMap((line) => frameOf(line, pattern));
    if (frames.length === 0) continue;
    // Python tells the outermost call first, and the exception behind all calls.
    const python = language === 'python';
    const thrown = (python ? lines.toReversed() : lines).map((line) => EXCEPTION.exec(line)).find(Boolean);
    const { exception = 'unknown', message = '' } = thrown?.groups ?? {};
    return { language, exception, message, frames: python ? frames.toReversed() : frames };
  }
  return undefined;
}

/** The innermost call in one's own code: files that contain `ownCode`, or else any that are no library's. */
export function ownFrame({ frames }: StackTrace, ownCode: string | undefined): StackFrame | undefined {
  return frames.find((frame) =>
    ownCode === undefined
      ? !LIBRARY.test(frame.file) && !LIBRARY.test(frame.function)
      : frame.file.includes(ownCode) || frame.function.includes(ownCode),
  );
}

function frameOf(line: string, pattern: RegExp): StackFrame[] {
  const { function: called = '(anonymous)', file, line: number } = pattern.exec(line)?.groups ?? {};
  return file === undefined ? [] : [{ function: called, file, line: Number(number) }];
}
