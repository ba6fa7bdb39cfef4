import { describe, expect, test } from 'vitest';
import { estimateRecording, findRecording } from './index.ts';

const seconds = (text: string) => {
  const found = findRecording({ head: text.slice(0, 2_048), tail: text.slice(-16_384) });
  return found && [found.usage.units['audio_second'], found.estimated];
};
const long = 'word '.repeat(10_000);

describe('the seconds of a recording', () => {
  test.for<[what: string, text: string, want: unknown]>([
    ['are the duration', '{"task":"transcribe","duration":8.47,"text":"a"}', [9, false]],
    ['are the duration as a text', '{"duration" : "8.470000", "text":"a"}', [9, false]],
    ['are the duration behind a long text', `{"text":"${long}","duration":61}`, [61, false]],
    ['are none where it is none', '{"duration":0,"text":""}', [undefined, false]],
    [
      'are the end of the last segment',
      `{"text":"${long}","segments":[{"end":1.5},{"end":2.25,"text":"a"}]}`,
      [3, true],
    ],
    ['are not what is said', JSON.stringify({ text: '"duration": 99, "end": 99,' }), undefined],
    [
      'are the end of the last cue of SubRip',
      `1\n00:00:00,000 --> 00:00:01,000\n${long}\n\n2\n00:00:01,000 --> 01:01:02,001\nb\n`,
      [3663, true],
    ],
    ['are the end of the last cue of WebVTT', 'WEBVTT\n\n00:00.000 --> 00:02.500 align:start\na\n', [3, true]],
    ['are unknown of a text', 'It lasts 00:10:00,000, they said.', undefined],
    ['are unknown of nothing', '', undefined],
  ])('%s', ([, text, want]) => {
    expect(seconds(text)).toEqual(want);
  });

  test('are told from its size where nothing else tells them', () => {
    expect(estimateRecording(16_001)?.units).toEqual({ audio_second: 2 });
    expect(estimateRecording(0)).toBeUndefined();
  });
});
