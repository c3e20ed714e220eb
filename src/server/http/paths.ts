/** Paths as they came, before anything decodes them. */

/** Makes a reader of the parameters of a path template relative to the service prefix; values stay percent-encoded. */
export function createPathParamsReader(template: string): (path: string) => ReadonlyMap<string, string> {
  const places = template
    .split('/')
    .flatMap((segment, at) =>
      segment.startsWith('{') ? [{ name: segment.slice(1, -1), fromEnd: template.split('/').length - at }] : [],
    );
  return (path) => {
    if (places.length === 0) return noParams;
    const found = new Map<string, string>();
    for (const { name, fromEnd } of places) found.set(name, segmentAt(path, fromEnd));
    return found;
  };
}

/** The segment of a path that is so many from its end, the last one being 1. To take all of them apart takes longer. */
function segmentAt(path: string, fromEnd: number): string {
  let end = path.length;
  for (let at = 1; at < fromEnd; at += 1) end = path.lastIndexOf('/', end - 1);
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

const noParams: ReadonlyMap<string, string> = new Map();

/** `/groups/{groupId}` as @koa/router reads it. It would take braces silently as an optional literal. */
export function toRouterPath(template: string): string {
  return template.replaceAll(/\{([A-Za-z]+)\}/g, ':$1');
}

/** Whether a path is one that a template describes; used to tell a wrong method from a wrong path. */
export function createPathMatcher(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{[A-Za-z]+\}/g, '[^/]+')}$`);
}

/** What nearly every target looks like: nothing has to be done to it. */
const isOriginForm = /^\/(?!\/)[^#\u00a0]*$/;

/**
 * A request target in the form that begins with its path, which is all that parsers further in can read: some throw on
 * the absolute form, or take a `#`, which no target holds. Several slashes count as one, since base URLs end with one.
 */
export function toOriginForm(target: string): string {
  if (isOriginForm.test(target)) return target;
  const relative = target.replace(/^https?:\/\/[^/?]*/i, '').replaceAll(/[#\u00a0]/g, encodeURIComponent);
  return relative.startsWith('/') ? relative.replace(/^\/{2,}/, '/') : `/${relative}`;
}

/** Path and query of a request target in origin form. */
export function splitTarget(target: string): { path: string; search: string } {
  const question = target.indexOf('?');
  const path = question < 0 ? target : target.slice(0, question);
  return { path, search: question < 0 ? '' : target.slice(question + 1) };
}
