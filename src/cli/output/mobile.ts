/** Mobile numbers for people. */

/** `+41 79 1234567`, also with masked parts; undefined if the value is no mobile number. */
export function formatMobile(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { regionCode, areaCode, phoneNumber, ...others } = value as Readonly<Record<string, unknown>>;
  const parts = [regionCode, areaCode, phoneNumber];
  if (parts.some((part) => part === undefined) || Object.keys(others).length > 0) return undefined;
  return `+${parts.join(' ')}`;
}
