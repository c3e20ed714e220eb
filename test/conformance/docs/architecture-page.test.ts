/** The steps in docs/architecture.md are those of a real request: the debugger of V8 records which functions run. */
import { readFileSync } from 'node:fs';
import { type Debugger, Session } from 'node:inspector/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openAuditFile } from '../../../src/server/audit/file.ts';
import { createLog } from '../../../src/server/lib/log.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { makeFolder, openStore } from '../../server/store/temp-store.ts';
import { root } from '../source-files.ts';

const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
const [, section = ''] = page.split('\n## The life of one request\n');

/** A step of the page. Without the name of a function, any function of the file counts. */
interface Step {
  readonly file: string;
  readonly functionName: string | undefined;
}

const steps = [...section.matchAll(/^\d+\. `([^`]+)`(?: `([^`]+)`)?:/gm)].map(
  ([, file = '', functionName]): Step => ({ file, functionName }),
);

function isCallOf({ file, functionName }: Step, call: Step): boolean {
  return call.file === file && (functionName === undefined || call.functionName === functionName);
}

/** Holds the recorded calls for the conditions of the breakpoints, which see global variables only. */
const callsKey = 'calls of the traced request';

const { executed, calls } = await recordCalls();

describe('the life of one request', () => {
  test('contains numbered steps', () => {
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.length).toBe([...section.matchAll(/^\d+\. /gm)].length);
  });

  test('names every file of src/server itself that the request runs', () => {
    const own = new Set(executed.map(({ file }) => file).filter((file) => file.split('/').length === 3));
    expect([...own].filter((file) => !steps.some((step) => step.file === file))).toEqual([]);
  });

  test('lists files and functions in the order in which a request runs them', () => {
    const missing: string[] = [];
    let from = 0;
    for (const { file, functionName } of steps) {
      const at = calls.findIndex((call, index) => index >= from && isCallOf({ file, functionName }, call));
      if (at < 0) missing.push(`${file} ${functionName ?? ''}`);
      else from = at + 1;
    }
    expect(missing).toEqual([]);
  });
});

interface Recording {
  /** The functions of the server that a request runs. */
  readonly executed: readonly Step[];
  /** Those that steps of the page name, in the order of their calls. */
  readonly calls: readonly Step[];
}

/** Runs a server with a store and an audit log on disk, and records a request. */
async function recordCalls(): Promise<Recording> {
  const folder = await makeFolder();
  const log = createLog(
    'error',
    () => {},
    () => new Date(0),
  );
  try {
    await using server = await startServer({
      openStore: () => openStore(folder.directory),
      audit: await openAuditFile({ path: `${folder.directory}.log`, log }),
    });
    return await traceCalls(server);
  } finally {
    await folder.remove();
  }
}

async function traceCalls({ admin, as }: TestServer): Promise<Recording> {
  const session = new Session();
  session.connect();
  try {
    const scripts = await listScripts(session);
    const { accessToken: token } = await admin.clientIdentities.login();
    const executed = await listExecutedFunctions(session, scripts, () =>
      as({ token }).groups.create({ body: { groupName: 'untraced' } }),
    );
    // V8 searches the whole heap for each breakpoint.
    const functions = executed.filter((call) => steps.some((step) => isCallOf(step, call)));
    for (const [index, executed] of functions.entries()) await setTracepoint(session, executed, index);
    const recorded: number[] = [];
    Object.assign(globalThis, { [Symbol.for(callsKey)]: recorded });
    // On a new connection: setting the tracepoints can take longer than the server keeps one.
    await as({ token }).groups.create({ body: { groupName: 'traced' } });
    return { executed, calls: recorded.flatMap((index) => functions[index] ?? []) };
  } finally {
    session.disconnect();
    Reflect.deleteProperty(globalThis, Symbol.for(callsKey));
  }
}

interface Script extends Pick<Debugger.ScriptParsedEventDataType, 'scriptId' | 'startLine' | 'startColumn'> {
  readonly file: string;
  readonly source: string;
}

/** The loaded scripts of the server, by id. */
async function listScripts(session: Session): Promise<Map<string, Script>> {
  const parsed: Debugger.ScriptParsedEventDataType[] = [];
  session.on('Debugger.scriptParsed', ({ params }) => parsed.push(params));
  await session.post('Debugger.enable');
  const rootUrl = `${pathToFileURL(root)}/`;
  const scripts = new Map<string, Script>();
  for (const { scriptId, url, startLine, startColumn } of parsed) {
    const file = (url.startsWith('/') ? `${pathToFileURL(url)}` : url).replace(rootUrl, '');
    if (!file.startsWith('src/server/')) continue;
    const { scriptSource: source } = await session.post('Debugger.getScriptSource', { scriptId });
    scripts.set(scriptId, { scriptId, file, startLine, startColumn, source });
  }
  return scripts;
}

/** A function of a script, by its offsets. */
interface ExecutedFunction extends Step {
  readonly script: Script;
  readonly startOffset: number;
  readonly endOffset: number;
}

/** The functions of these scripts that run during a request, by the precise coverage of V8. */
async function listExecutedFunctions(
  session: Session,
  scripts: ReadonlyMap<string, Script>,
  request: () => Promise<unknown>,
): Promise<ExecutedFunction[]> {
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await request();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return result.flatMap(({ scriptId, functions }) => {
    const script = scripts.get(scriptId);
    if (!script) return [];
    return functions.flatMap(({ functionName, ranges: [range] }) =>
      range && range.count > 0 ? [{ ...range, script, file: script.file, functionName }] : [],
    );
  });
}

/** Sets a breakpoint that never pauses: its condition records the call and is false. */
async function setTracepoint(
  session: Session,
  { script, startOffset, endOffset }: ExecutedFunction,
  index: number,
): Promise<void> {
  const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
    start: locationOf(script, startOffset),
    end: locationOf(script, endOffset),
    restrictToFunction: true,
  });
  const [location] = locations;
  if (!location) return;
  const condition = `globalThis[Symbol.for('${callsKey}')]?.push(${index}), false`;
  await session.post('Debugger.setBreakpoint', { location, condition });
}

function locationOf({ scriptId, source, startLine, startColumn }: Script, offset: number): Debugger.Location {
  const lines = source.slice(0, offset).split('\n');
  const column = lines.at(-1)?.length ?? 0;
  return {
    scriptId,
    lineNumber: startLine + lines.length - 1,
    columnNumber: lines.length === 1 ? startColumn + column : column,
  };
}
