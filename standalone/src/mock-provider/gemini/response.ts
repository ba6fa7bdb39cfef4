import { type Answer, splitPieces } from '../answer/index.ts';
import type { Seed } from '../seed.ts';

interface Part {
  readonly text?: string;
  readonly thought?: true;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly name: string; readonly args: unknown };
}

interface Candidate {
  readonly index: number;
  readonly parts: readonly Part[];
  readonly finishReason?: 'STOP' | 'MAX_TOKENS';
}

export interface GeminiEnvelope {
  readonly responseId: string;
  readonly modelVersion: string;
  /** Base64, as the API sends it with calls that a thinking model makes. */
  readonly signature: string;
}

export function toEnvelope(seed: Seed, model: string): GeminiEnvelope {
  const signature = Buffer.from(seed.id('mock-signature-')).toString('base64');
  return { responseId: seed.id(''), modelVersion: model, signature };
}

export function toGeminiResponse(envelope: GeminiEnvelope, answers: readonly Answer[]) {
  const candidates = answers.map((answer, index) => ({
    index,
    parts: [...thoughtParts(answer, (text) => [text]), ...answerParts(envelope, answer, (text) => [text])],
    finishReason: toFinishReason(answer),
  }));
  return toFragment(envelope, candidates, toUsage(answers));
}

/** The fragments of a stream. Only the last one counts the answer, and only the last of a candidate says why it ended. */
export function toGeminiFragments(envelope: GeminiEnvelope, answers: readonly Answer[]) {
  const candidates = answers.flatMap((answer, index): Candidate[] => {
    const parts = [...thoughtParts(answer, splitPieces), ...answerParts(envelope, answer, splitPieces)];
    const lone = parts.map((part): Candidate => ({ index, parts: [part] }));
    const last = { index, parts: lone.at(-1)?.parts ?? [{ text: '' }], finishReason: toFinishReason(answer) };
    return [...lone.slice(0, -1), last];
  });
  const usage = toUsage(answers);
  const soFar = { promptTokenCount: usage.promptTokenCount, totalTokenCount: usage.promptTokenCount };
  return candidates.map((candidate, position) =>
    toFragment(envelope, [candidate], position === candidates.length - 1 ? usage : soFar),
  );
}

type Split = (text: string) => readonly string[];

function thoughtParts({ thinking }: Answer, split: Split): readonly Part[] {
  return thinking === '' ? [] : split(thinking).map((text) => ({ text, thought: true }));
}

function answerParts({ signature }: GeminiEnvelope, answer: Answer, split: Split): readonly Part[] {
  if (answer.calls.length === 0) return split(answer.text).map((text) => ({ text }));
  return answer.calls.map(({ name, input }) => ({
    functionCall: { name, args: input },
    ...(answer.thinking === '' ? {} : { thoughtSignature: signature }),
  }));
}

function toFinishReason({ end }: Answer): 'STOP' | 'MAX_TOKENS' {
  return end === 'length' ? 'MAX_TOKENS' : 'STOP'; // a call ends with STOP, too
}

function toUsage(answers: readonly Answer[]) {
  const prompt = answers[0]?.tokens.prompt ?? 0;
  const thoughts = answers.reduce((sum, { tokens }) => sum + tokens.thinking, 0);
  const completion = answers.reduce((sum, { tokens }) => sum + tokens.completion, 0);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thoughts, // Gemini counts thoughts apart
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    totalTokenCount: prompt + completion,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  };
}

function toFragment(envelope: GeminiEnvelope, candidates: readonly Candidate[], usageMetadata: object) {
  const { modelVersion, responseId } = envelope;
  return {
    candidates: candidates.map(({ index, parts, finishReason }) => ({
      content: { parts, role: 'model' },
      ...(finishReason === undefined ? {} : { finishReason }),
      index,
    })),
    usageMetadata,
    modelVersion,
    responseId,
  };
}
