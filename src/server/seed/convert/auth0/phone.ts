/** International phone numbers (E.164), made the parts that this service stores. */
import type { SeedUser } from '../../schema.ts';

type Mobile = NonNullable<SeedUser['userMobile']>;

/** Country codes with two digits (ITU-T E.164). */
const twoDigits = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/**
 * The parts of a number. The length of its area code depends on the country: it has three digits in North America and in
 * the plan of Russia, and two elsewhere, unless another length is the only one that keeps all digits.
 * @returns undefined for what is not an international number
 */
export function readPhone(text: string): Mobile | undefined {
  const [, digits = ''] = /^\+(\d{7,15})$/.exec(text.replace(/[\s().-]/g, '')) ?? [];
  const code = /^[17]/.exec(digits)?.[0] ?? twoDigits.exec(digits)?.[0] ?? digits.slice(0, 3);
  const national = digits.slice(code.length);
  const usual = code.length === 1 ? 3 : 2;
  for (const length of [usual, 2, 3, 1, 4]) {
    const [area, number] = [national.slice(0, length), national.slice(length)];
    // Numbers are integers: a zero at the start would be lost.
    if (/^[1-9]\d*$/.test(area) && /^[1-9]\d{3,11}$/.test(number))
      return { regionCode: Number(code), areaCode: Number(area), phoneNumber: Number(number) };
  }
  return undefined;
}
