/** The hooks of an answer, once per try: docs/behaviour/guardrails.md#outcomes. */
import { AppError, memoryExhausted } from '../../errors/index.ts';
import type { HookPhaseResult } from '../../guardrails/index.ts';
import { andThen, type Deferred } from '../../lib/deferred.ts';
import { writeJson } from '../../lib/json/index.ts';
import { countWhole } from '../../record/index.ts';
import { wantsUsageChunk } from '../../wire/openai/index.ts';
import type { AnswerCheck, AnsweredTry, CheckedAnswer } from '../attempt/index.ts';
import { bytesOf } from '../exchange.ts';
import { parseAnswer } from './parse-answer.ts';
import type { GuardrailPorts } from './ports.ts';
import { runPhase } from './run-phase.ts';
import { checkStream } from './stream/index.ts';
import { FAILED_STATUS, type TargetGuards } from './target-guards.ts';

/** Denies a good answer, changes it, or marks it as failed. */
export function createAnswerHooks(ports: GuardrailPorts): AnswerCheck {
  return (answered) => {
    const { guards } = answered.prepared;
    if (guards === undefined) return undefined;
    guards.beginTry(answered.prepared);
    const { body, status } = answered.answer;
    if (status !== 200) return undefined;
    if (body.kind === 'stream') return checkStreamed(ports, answered, guards);
    const { operation, input } = answered.prepared;
    const { counted } = answered.answer;
    guards.count(counted ?? countWhole(operation, bytesOf(input.resolution.body) ?? 0, body));
    guards.keep(body.bytes);
    return guards.hooks.output.length === 0 ? undefined : checkWhole(ports, answered, { guards, bytes: body.bytes });
  };
}

/** A stream that nothing is known of but its events has no texts to check. */
function checkStreamed(
  ports: GuardrailPorts,
  { prepared, answer, signal }: AnsweredTry,
  guards: TargetGuards,
): Promise<CheckedAnswer> | undefined {
  const { operation, input, strict, params } = prepared;
  const protocol = operation.streamFormat;
  if (protocol === 'events') return undefined;
  const { hooks, trail } = guards;
  const { exchange } = input;
  const isHeld = hooks.output.some(({ buffer }) => buffer);
  const base = { trail, signal: isHeld ? signal : exchange.signal };
  return checkStream(answer, {
    protocol,
    hooks: hooks.output,
    run: (hooks, response, given) => runPhase(ports, prepared, { ...base, hooks, response, given }),
    refuse: (denial, results) => guards.refuse(denial, prepared, results),
    held: (bytes) => guards.count(countWhole(operation, bytesOf(input.resolution.body) ?? 0, answer.body, bytes)),
    settled: (result, whole) => guards.checkedOutput(result, whole),
    cut: (result) => guards.cut(result),
    seen: hooks.watchedOutput.length === 0 ? undefined : (whole) => guards.saw(whole),
    inputResults: guards.inputResults,
    inputFailed: false, // retries are about the answer alone
    placeholders: guards.placeholders,
    nextSlice: trail.nextSlice,
    strict,
    includeUsage: wantsUsageChunk(params),
    memory: exchange.memory,
    maxBytes: ports.maxHeldBytes,
  });
}

interface Whole {
  readonly guards: TargetGuards;
  readonly bytes: Buffer;
}

function checkWhole(ports: GuardrailPorts, answered: AnsweredTry, whole: Whole): Deferred<CheckedAnswer> {
  const { prepared, signal } = answered;
  const { hooks, trail } = whole.guards;
  const response = parseAnswer(whole.bytes, ports.json);
  // What cannot be read cannot be checked.
  if (response === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: prepared.provider.id });
  return andThen(runPhase(ports, prepared, { hooks: hooks.output, trail, signal, response }), (result) => {
    if (signal.cancelled) throw signal.reason; // nobody waits any longer
    whole.guards.checkedOutput(result, response);
    return checkedWhole(answered, whole, result);
  });
}

function checkedWhole(
  { prepared, answer }: AnsweredTry,
  { guards, bytes }: Whole,
  result: HookPhaseResult,
): CheckedAnswer {
  const { denied, failed, body } = result;
  if (denied !== undefined) return guards.refuse(denied, prepared, result.results);
  const status = failed ? FAILED_STATUS : answer.status;
  if (body === undefined) return failed ? { ...answer, status } : undefined;
  const changed = writeJson(body);
  const { memory } = prepared.input.exchange;
  if (!memory.take(changed.length)) throw memoryExhausted();
  memory.give(bytes.length);
  return { ...answer, status, body: { kind: 'bytes', bytes: changed } };
}
