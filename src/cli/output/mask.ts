/** `--mask`: hides e-mail addresses in whatever a command prints, so that its output can be shown to others. */
import { maskEmail } from '../../lib/masked-email.ts';
import type { Io, OutputStream } from '../io/io.ts';

/** Text in the form of an address, with an at sign as it is or as in a URL. One that is masked does not have it. */
const addressForm = /([^\s@*"'<>()[\],;:|]+)((?:@|%40)[^\s@"'<>()[\],;:|/?=&#%]*[^\s@"'<>()[\],;:|/?=&#%.])/giu;
/** The same where the characters between the parts of a URL delimit it. */
const addressInUrl = new RegExp(addressForm.source.replace('*"', '*/?=&#"'), addressForm.flags);
export function maskText(text: string): string {
  // Most texts have no address.
  return /@|%40/u.test(text) ? text.replace(/[^\s"'<>()]+/gu, maskWord) : text;
}

function maskWord(word: string): string {
  const isUrl = word.startsWith('/') || word.includes('://');
  return word.replace(
    isUrl ? addressInUrl : addressForm,
    (_, local: string, rest: string) => maskEmail(`${local}@`).slice(0, -1) + rest,
  );
}

/** Masks the addresses in all texts of a value, and in the names of its fields. */
export function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [maskText(name), maskValue(one)]));
}

/** Streams whose standard error masks addresses. Each write is complete lines. */
export function maskNotices<Streams extends Pick<Io, 'stderr'>>(io: Streams): Streams {
  return Object.create(io, { stderr: { get: () => maskStream(io.stderr) } }) as Streams;
}

function maskStream(stream: OutputStream): OutputStream {
  const write = (chunk: unknown) => stream.write(maskText(String(chunk)));
  return Object.create(stream, { write: { value: write } }) as OutputStream;
}
