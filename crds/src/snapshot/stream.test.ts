import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type AnyEntry,
  parseFrame,
  readMountedCopy,
  SCHEMA_VERSION,
  type StreamFrame,
  toFrameText,
  toMountedCopy,
} from './index.ts';

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

describe('a mounted copy', () => {
  const entry = (kind: string) => ({ kind, id: `${kind}/w/a`, digest: 'd', body: { of: kind } }) as unknown as AnyEntry; // as read
  const snapshot = { version: 7, schemaVersion: SCHEMA_VERSION, entries: [entry('config'), entry('credential')] };
  const copy = toMountedCopy(snapshot);

  test('is read back complete, has secrets only in the Secret, and has the same bytes each time', () => {
    expect(readMountedCopy(copy)).toEqual({ ok: true, value: { kind: 'snapshot', ...snapshot } });
    expect(gunzipSync(copy.config).toString()).not.toContain('credential');
    expect(toMountedCopy(snapshot)).toEqual(copy);
  });

  test.for([
    {
      rule: 'whose parts are of two versions',
      with: { secret: toMountedCopy({ ...snapshot, version: 8 }).secret },
      code: 'MIXED',
    },
    { rule: 'cut off', with: { config: copy.config.subarray(0, 20) }, code: 'MALFORMED' },
    { rule: 'that is not packed', with: { secret: Buffer.from('{}') }, code: 'MALFORMED' },
    { rule: 'without a Snapshot', with: { secret: gzipSync('{"kind":"ping"}') }, code: 'MALFORMED' },
    { rule: 'that unfolds to too much', with: { config: gzipSync(Buffer.alloc(65 * 1024 * 1024)) }, code: 'MALFORMED' },
  ])('$rule is refused', ({ with: parts, code }) => {
    expect(readMountedCopy({ ...copy, ...parts })).toMatchObject({ ok: false, error: { code } });
  });
});
