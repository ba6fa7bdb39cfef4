import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLogChannel } from './log-channel.ts';

test('lines of one turn travel together', async () => {
  const sent: string[] = [];
  const lines = createLogChannel((text) => sent.push(text));
  lines.write('one\n');
  lines.write('two\n');
  await turn();
  lines.write('three\n');
  void lines.flush();
  expect(sent).toEqual(['one\ntwo\n', 'three\n']);
});

test('lines that a busy parent cannot take are left out and counted', async () => {
  const sent: string[] = [];
  const left: (() => void)[] = [];
  const lines = createLogChannel((text, onSent) => {
    sent.push(text);
    left.push(onSent);
  }, 10);
  for (const line of ['12345678\n', 'lost\n', 'lost\n']) lines.write(line);
  await turn();
  for (const onSent of left.splice(0)) onSent();
  lines.write('next\n');
  await turn();
  expect(sent).toEqual(['12345678\n', '{"level":"warn","lines":2,"msg":"Log lines were left out"}\nnext\n']);
});
