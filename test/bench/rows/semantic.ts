import { createMemoryVectors, toUnit } from '../../../gateway/src/cache/index.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../propagation/summary.ts';
import type { Row } from '../table.ts';

/** As the models of OpenAI have them. */
const DIMENSIONS = 1_536;
const SIZES = [10_000, 100_000] as const;
const LOOKUPS = 200;
/** Of unrelated texts by those models, about: half of each vector is the same. */
const SHARED = 0.5;
const PARTITION = 'p';

/** Look-ups of the semantic cache among vectors of prompts that are like none of them, in this process. */
export async function semantic(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) {
    const times = await lookUpMany(size);
    const what = `semantic look-up, ${size.toLocaleString('en')} prompts`;
    const [p50Ms, p99Ms] = [percentile(times, 0.5), percentile(times, 0.99)];
    rows.push({ what, peer: 'Gatehouse', p50Ms, p99Ms });
    bench.say(`${what}: ${p50Ms.toFixed(1)} ms`);
  }
  return rows;
}

/** In ms. */
async function lookUpMany(size: number): Promise<readonly number[]> {
  const vectors = createMemoryVectors({ now: () => 0, maxBytes: 1024 ** 3 });
  const shared = randomVector();
  const next = (): Float32Array => {
    const own = randomVector();
    const mixed = toUnit(own.map((value, i) => Math.sqrt(SHARED) * (shared[i] ?? 0) + Math.sqrt(1 - SHARED) * value));
    if (mixed === undefined) throw new Error('a random vector has a direction');
    return mixed;
  };
  for (let i = 0; i < size; i += 1) vectors.set(PARTITION, { key: String(i), vector: next(), ttlSeconds: 60 });
  const times: number[] = [];
  for (let i = 0; i < LOOKUPS; i += 1) {
    const asked = next();
    const startedMs = performance.now();
    await vectors.nearest(PARTITION, asked, 0.95);
    times.push(performance.now() - startedMs);
  }
  return times;
}

/** Of a normal distribution in each dimension, and of length 1. */
function randomVector(): number[] {
  const values = Array.from(
    { length: DIMENSIONS },
    () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random()),
  );
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
