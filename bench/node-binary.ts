/** The Node executables that run the measured commands. */
import { spawnSync } from 'node:child_process';

export interface NodeBinary {
  readonly path: string;
  /** Without the leading v. */
  readonly version: string;
  /** Whether `module.enableCompileCache` exists: since 22.8. */
  readonly hasCompileCache: boolean;
}

const probe = `JSON.stringify({
  version: process.versions.node,
  hasCompileCache: require('node:module').enableCompileCache !== undefined,
})`;

/** Returns the version of a Node executable. @throws Error if the file cannot be executed or is not Node */
export function probeNode(path: string): NodeBinary {
  const { error, status, stdout } = spawnSync(path, ['-p', probe], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error) throw new Error(`cannot execute ${path}: ${error.message}`);
  const properties = status === 0 ? parseProbe(stdout) : undefined;
  if (properties === undefined) throw new Error(`${path} is not Node. Pass the path of a node executable.`);
  return { path, ...properties };
}

function parseProbe(stdout: string): Omit<NodeBinary, 'path'> | undefined {
  try {
    return JSON.parse(stdout) as Omit<NodeBinary, 'path'>;
  } catch {
    return undefined;
  }
}
