import { describe, expect, test } from 'vitest';
import { toTraceId } from '../lib/trace-context.ts';
import { createSampler, type SamplerOptions } from './sampler.ts';

const LOW = `${'f'.repeat(19)}${'0'.repeat(13)}`;
const HIGH = 'f'.repeat(32);

describe('a sampler', () => {
  test.for<SamplerOptions & { trace: string; parent?: boolean; want: boolean }>([
    { name: 'always_on', ratio: 0, trace: LOW, parent: false, want: true },
    { name: 'always_off', ratio: 1, trace: HIGH, parent: true, want: false },
    { name: 'parentbased_always_on', ratio: 0, trace: LOW, want: true },
    { name: 'parentbased_always_on', ratio: 0, trace: LOW, parent: false, want: false },
    { name: 'parentbased_always_off', ratio: 1, trace: HIGH, want: false },
    { name: 'parentbased_always_off', ratio: 1, trace: HIGH, parent: true, want: true },
    { name: 'traceidratio', ratio: 0.5, trace: LOW, parent: true, want: false },
    { name: 'traceidratio', ratio: 0.5, trace: HIGH, parent: false, want: true },
    { name: 'traceidratio', ratio: 0, trace: HIGH, want: false },
    { name: 'traceidratio', ratio: 1, trace: LOW, want: true },
    { name: 'parentbased_traceidratio', ratio: 0.5, trace: HIGH, want: true },
    { name: 'parentbased_traceidratio', ratio: 0.5, trace: HIGH, parent: false, want: false },
  ])('$name at $ratio with parent $parent: $want', ({ trace, parent, want, ...options }) => {
    expect(createSampler(options)(trace, parent)).toBe(want);
  });

  test('takes the share that it is to take', () => {
    const sample = createSampler({ name: 'traceidratio', ratio: 0.25 });
    const taken = Array.from({ length: 4_000 }, (_, i) => sample(toTraceId(`trace ${i}`), undefined));
    expect(taken.filter(Boolean).length / taken.length).toBeCloseTo(0.25, 1);
  });
});
