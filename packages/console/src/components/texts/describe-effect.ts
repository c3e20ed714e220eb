/** The effect of a fault in words: "503, retry after 30 s". */

type Effect = Readonly<Record<string, unknown>>;

const bodies: Readonly<Record<string, string>> = {
  html: 'HTML page',
  empty: 'empty body',
  malformed: 'malformed JSON',
  cut: 'body cut off',
};

const drops: Readonly<Record<string, string>> = {
  before: 'Connection closed before the operation',
  after: 'Connection closed after the changes',
  reset: 'Connection reset',
};

const parts: Readonly<Record<string, (value: unknown, effect: Effect) => string>> = {
  status: String,
  retryAfter: (seconds) => `retry after ${seconds} s`,
  body: (body, { status }) => {
    const text = bodies[String(body)] ?? String(body);
    return status === undefined ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  },
  latency: (time) => `Delay of ${time}`,
  jitter: (time) => `up to ${time} more`,
  drop: (when) => drops[String(when)] ?? String(when),
  redirect: (url) => `Redirect to ${url}`,
  authorization: (kind) => `Login response: ${String(kind).replaceAll('-', ' ')}`,
  rotateKey: () => 'Rotates the signing key',
  staleKeys: () => 'Previous key set',
  missingKey: () => 'Key set without the current key',
};

export function describeEffect(effect: object): string {
  const known = effect as Effect;
  return Object.entries(effect)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => parts[name]?.(value, known) ?? `${name}: ${value}`)
    .join(', ');
}
