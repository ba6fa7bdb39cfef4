/** The headers that say what an answer used and costs, for clients that ask for them; docs/behaviour/cost.md. */
import { countedAttempt } from '../record/index.ts';
import type { Answer, Exchange } from './exchange.ts';

const NANO_DIGITS = 9;

/** Adds them to a whole answer. Streams have none: they are sent before the answer is known. */
export function addUsageHeaders(exchange: Exchange, answer: Answer): void {
  if (exchange.request.header('x-gw-usage-headers')?.trim().toLowerCase() !== 'true') return;
  const counted = countedAttempt({ exchange, answer });
  if (counted?.usage === undefined || counted.cost === undefined) return;
  const { headers } = answer;
  const { input, output, cached, reasoning } = counted.usage;
  headers['x-gw-usage-input-tokens'] = String(input);
  headers['x-gw-usage-output-tokens'] = String(output);
  if (cached > 0) headers['x-gw-usage-cached-tokens'] = String(cached);
  if (reasoning > 0) headers['x-gw-usage-reasoning-tokens'] = String(reasoning);
  headers['x-gw-cost-usd'] = toDollars(counted.cost.nanoDollars);
  const notes = [...(counted.cost.unpriced ? ['unpriced'] : []), ...(counted.cost.estimated ? ['estimated'] : [])];
  if (notes.length > 0) headers['x-gw-cost-notes'] = notes.join(', ');
}

/** An exact decimal without an exponent. */
export function toDollars(nanoDollars: number): string {
  const digits = String(nanoDollars).padStart(NANO_DIGITS + 1, '0');
  return `${digits.slice(0, -NANO_DIGITS)}.${digits.slice(-NANO_DIGITS)}`.replace(/\.?0+$/, '');
}
