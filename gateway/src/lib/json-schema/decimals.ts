/** Numbers as they are written: 0.0075 is a multiple of 0.0001, which their quotient does not show. */

interface Decimal {
  readonly digits: bigint;
  /** Places after the point; negative for zeros before it. */
  readonly places: number;
}

export function isMultipleOf(value: number, unit: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(unit)) return value % unit === 0;
  if (!(Number.isFinite(value) && Number.isFinite(unit))) return false;
  const one = decimalOf(value);
  const other = decimalOf(unit);
  const places = Math.max(one.places, other.places);
  return scaled(one, places) % scaled(other, places) === 0n;
}

const scaled = ({ digits, places }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - places);

/** Numbers of JavaScript have at most 17 digits and 308 places on either side. */
function decimalOf(value: number): Decimal {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) };
}
