import type { CompiledCheck } from '../../contract.ts';

/** What a check of requests does on answers: it passes, and says why it has not looked. */
export const onlyOnInput =
  (check: CompiledCheck): CompiledCheck =>
  (subject, tools) =>
    subject.phase === 'input'
      ? check(subject, tools)
      : { verdict: true, error: { name: 'OnlyOnInput', message: 'the check is one for the input' } };
