import { crc32 } from 'node:zlib';
import { formatCrc } from '../../../src/server/store/file/checksum.ts';

/** A checkpoint or marker with another format version and a matching CRC, as a program of that version writes it. */
export function withVersion(bytes: Buffer, version: number): Buffer {
  const text = bytes.toString().replace(/"formatVersion":\d+/, `"formatVersion":${version}`);
  const crc = /(?<comma>,?)"crc32":"[0-9a-f]{8}"(?<end>\n?\}\n)$/.exec(text);
  if (!crc?.groups) throw new Error('The file has no CRC.');
  const body = text.slice(0, crc.index);
  return Buffer.from(`${body}${crc.groups.comma}"crc32":"${formatCrc(crc32(Buffer.from(body)))}"${crc.groups.end}`);
}
