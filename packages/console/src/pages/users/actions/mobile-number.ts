/** Mobile numbers as the interface has them, in three parts. */
interface MobileNumber {
  readonly regionCode: number;
  readonly areaCode: number;
  readonly phoneNumber: number;
}

/** Reads `+1 212 5550100`. @returns undefined for other texts */
export function parseMobile(text: string): MobileNumber | undefined {
  const [, regionCode, areaCode, phoneNumber] = /^\+?(\d{1,3}) +(\d{1,4}) +(\d{4,12})$/.exec(text.trim()) ?? [];
  if (phoneNumber === undefined) return undefined;
  return { regionCode: Number(regionCode), areaCode: Number(areaCode), phoneNumber: Number(phoneNumber) };
}

export function formatMobileOptions({ regionCode, areaCode, phoneNumber }: MobileNumber): string {
  return [
    `--user-mobile.region-code ${regionCode}`,
    `--user-mobile.area-code ${areaCode}`,
    `--user-mobile.phone-number ${phoneNumber}`,
  ].join(' ');
}
