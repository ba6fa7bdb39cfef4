import { describe, expect, test } from 'vitest';
import { Automata } from './automata.ts';

const MIB = 1024 * 1024;
const needlesOf = (at: number, length: number): readonly string[] => [`${at}-`.padEnd(length, 'x')];

describe('automata are kept', () => {
  test('until others need their place: made once while they are', () => {
    const automata = new Automata(MIB);
    const { get: one, isMade } = automata.of(['first', 'second']);
    expect([automata.made, isMade()]).toEqual([0, false]);
    expect(one()).toBe(one());
    expect([automata.made, isMade()]).toEqual([1, true]);
    for (let at = 0; at < 2_000; at += 1) automata.of(needlesOf(at, 14_000)).get();
    expect(isMade()).toBe(false);
    one();
    expect(automata.made).toBe(2_002);
  });

  test.for([40, 300, 14_000])('up to a number of bytes that counts all of them: with texts of %i', (length) => {
    const automata = new Automata(MIB);
    for (let at = 0; at < 1_000; at += 1) automata.of(needlesOf(at, length)).get();
    expect(automata.bytes).toBeLessThanOrEqual(MIB);
    expect(automata.bytes).toBeGreaterThan(MIB / 2);
    expect(automata.count * length).toBeLessThanOrEqual(automata.bytes);
  });

  test('as long as what needs them where they alone are larger than that', () => {
    const automata = new Automata(1_024);
    const { get: one } = automata.of(needlesOf(0, 10_000));
    expect(one()).toBe(one());
    expect([automata.made, automata.count]).toEqual([1, 0]);
  });
});
