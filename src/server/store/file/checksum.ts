/**
 * The CRC of a line: a JSON object whose last member is the CRC-32 of all bytes before it. Place and algorithm are the
 * same in all format versions, for whole checkpoints too, so that every version can tell a damaged file from one of a
 * newer version: the CRC is verified before the version is read.
 */
import { crc32 } from 'node:zlib';

const CRC_SUFFIX = /^,"crc32":"([0-9a-f]{8})"\}$/;
const CRC_SUFFIX_LENGTH = ',"crc32":"00000000"}'.length;

/** Completes a line from its text without the last brace. */
export function appendCrc(start: string): string {
  return `${start}${formatCrcEnd(crc32(start))}\n`;
}

/** The end of a line from the CRC of the bytes before it. */
export function formatCrcEnd(crc: number): string {
  return `,"crc32":"${formatCrc(crc)}"}`;
}

/** Formats a CRC as 8 hexadecimal digits. */
export function formatCrc(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** Parses a line (without its newline); undefined if its CRC is missing or does not match. */
export function parseChecked(line: Buffer): unknown {
  const end = line.length - CRC_SUFFIX_LENGTH;
  if (end <= 0) return undefined;
  const crc = CRC_SUFFIX.exec(line.toString('latin1', end))?.[1];
  if (crc === undefined || crc !== formatCrc(crc32(line.subarray(0, end)))) return undefined;
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
