/** A price in the shape of the public price list: US cents per token or unit. */
import type { ModelPrice, Rate, RateName } from './rates.ts';

/** Names of the public list. */
const NAMES: Readonly<Partial<Record<RateName, string>>> = {
  input: 'request_token',
  output: 'response_token',
  cacheWrite: 'cache_write_input_token',
  cacheRead: 'cache_read_input_token',
  audioInput: 'request_audio_token',
  audioOutput: 'response_audio_token',
  audioCacheRead: 'cache_read_audio_input_token',
};

/** Nano-dollars per million to US cents per piece. */
const centsOf = (rate: Rate): number => Number((rate / 1e13).toPrecision(12));

const times = (count: string, rate: string): object => ({
  operation: 'multiply',
  operands: [{ value: count }, { value: `rates.${rate}` }],
});

/** The formula is that of plain calls; prices that depend on the length of the input are those of short ones. */
export function toListedPrice({ rates }: ModelPrice): object {
  const named = Object.entries(NAMES).flatMap(([name, listed]) => {
    const rate = rates[name as RateName]; // keys of NAMES
    return rate === undefined ? [] : [[listed, { price: centsOf(rate) }] as const];
  });
  const units = Object.entries(rates.units ?? {}).map(([name, rate]) => [name, { price: centsOf(rate) }] as const);
  return {
    pay_as_you_go: {
      ...Object.fromEntries(named),
      ...(units.length === 0 ? {} : { additional_units: Object.fromEntries(units) }),
    },
    calculate: {
      request: {
        operation: 'sum',
        operands: [
          times('input_tokens', 'request_token'),
          times('cache_write_tokens', 'cache_write_input_token'),
          times('cache_read_tokens', 'cache_read_input_token'),
        ],
      },
      response: times('output_tokens', 'response_token'),
    },
    currency: 'USD',
  };
}
