import { describe, expect, test } from 'vitest';
import { parseFrame, SCHEMA_VERSION, type StreamFrame, toFrameText } from './index.ts';

const SNAPSHOT: StreamFrame = { kind: 'snapshot', version: 7, schemaVersion: SCHEMA_VERSION, entries: [] };

describe('a frame', () => {
  test.for<StreamFrame>([SNAPSHOT, { kind: 'ping' }])('of kind $kind is one line and reads back', (frame) => {
    const text = toFrameText(frame);
    expect(text).not.toContain('\n');
    expect(parseFrame(text)).toEqual({ ok: true, value: frame });
  });

  test.for([
    { rule: 'cut off', text: toFrameText(SNAPSHOT).slice(0, -1) },
    { rule: 'of an unknown kind', text: '{"kind":"pong"}' },
    { rule: 'without entries', text: '{"kind":"snapshot","version":1,"schemaVersion":{"major":1,"minor":0}}' },
    { rule: 'with entries that are none', text: toFrameText(SNAPSHOT).replace('[]', '[null]') },
    { rule: 'with a version that is no number', text: toFrameText(SNAPSHOT).replace('7', '"7"') },
  ])('$rule is refused', ({ text }) => {
    expect(parseFrame(text).ok).toBe(false);
  });

  test('may have members of a newer minor version', () => {
    expect(parseFrame('{"kind":"ping","at":1}').ok).toBe(true);
  });
});
