/** The paths of operations, and raw request paths before percent-decoding. */
import type { Operation } from '../../contract/operation.ts';
import { controlPrefix, servicePrefix } from '../../contract/prefix.ts';

/** The conventional path of Prometheus, served by a route of the control plane. */
export const metricsPath = '/metrics';

/** Returns the path at which an operation is served, such as `/groups/{groupId}` below the prefix of the service. */
export function routeOf({ mount, path }: Pick<Operation<never>, 'mount' | 'path'>): string {
  return mount === 'base' ? path : servicePrefix + path;
}

export function isControlPath(path: string): boolean {
  return path === metricsPath || path === controlPrefix || path.startsWith(`${controlPrefix}/`);
}

/** Creates a reader for the parameters of a path template relative to the service prefix; values stay percent-encoded. */
export function createPathParamsReader(template: string): (path: string) => ReadonlyMap<string, string> {
  const positions = template
    .split('/')
    .flatMap((segment, at) =>
      segment.startsWith('{') ? [{ name: segment.slice(1, -1), fromEnd: template.split('/').length - at }] : [],
    );
  return (path) => {
    if (positions.length === 0) return noParams;
    const found = new Map<string, string>();
    for (const { name, fromEnd } of positions) found.set(name, segmentAt(path, fromEnd));
    return found;
  };
}

/** The segment at a position counted from the end of a path (last = 1). Faster than splitting the whole path. */
function segmentAt(path: string, fromEnd: number): string {
  let end = path.length;
  for (let at = 1; at < fromEnd; at += 1) end = path.lastIndexOf('/', end - 1);
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

const noParams: ReadonlyMap<string, string> = new Map();

/** Matches almost every target; these need no conversion. */
const isOriginForm = /^\/(?!\/)[^#\u00a0]*$/;

/**
 * Converts a request target to origin form (RFC 9112, 3.2.2), because the parsers that follow throw on the absolute form or
 * misread `#`. Collapses leading slashes, since base URLs may end with one. The control plane, also that of a sandbox, has
 * literal paths only: a proxy that blocks them compares the target with them. Others stay as they are, and are not found.
 */
export function toOriginForm(target: string): string {
  if (isOriginForm.test(target)) return target;
  const relative = target.replace(/^https?:\/\/[^/?]*/i, '').replaceAll(/[#\u00a0]/g, encodeURIComponent);
  const converted = relative.startsWith('/') ? relative.replace(/^\/{2,}/, '/') : `/${relative}`;
  const isLiteral = target.startsWith('/') && !target.startsWith('//');
  return isLiteral || !leadsToControlPlane(converted) ? converted : `//${converted}`;
}

/** Whether a target in origin form is one of the control plane of the server or of a sandbox. */
function leadsToControlPlane(target: string): boolean {
  const { path } = splitTarget(target);
  return isControlPath(path) || isControlPath(path.replace(/^\/s\/[^/]*/, ''));
}

/** Path and query of a request target in origin form. */
export function splitTarget(target: string): { path: string; search: string } {
  const question = target.indexOf('?');
  const path = question < 0 ? target : target.slice(0, question);
  return { path, search: question < 0 ? '' : target.slice(question + 1) };
}
