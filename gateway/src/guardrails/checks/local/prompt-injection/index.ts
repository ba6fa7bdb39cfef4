/** `default.promptInjection`: docs/behaviour/guardrails-local.md#prompt-injection. */
import { promptInjection as entry, type InjectionSignal } from '@gatehouse/crds/guardrails';
import { defineCheck } from '../../../contract.ts';
import { foldText } from '../fold.ts';
import { createPace } from '../pace.ts';
import { countInvisible, decodedTexts, taggedText } from './hidden.ts';
import { createPhraseReader, readForms, SCORES } from './signals.ts';

/** Read at once, in characters; a piece begins a little before the end of the one before it, so that no form is cut in two. */
const PIECE = 4_096;
const OVERLAP = 128;
/** Invisible characters between letters from which on they are no accident. */
const MIN_INVISIBLE = 4;
/** Encoded texts that are read in one text. */
const MAX_DECODED = 64;

type Turn = () => Promise<void>;

export const promptInjection = defineCheck(entry, ({ threshold, signals, not }) => async (subject, tools) => {
  const turn = createPace(() => tools.nextSlice());
  const found = new Set<InjectionSignal>();
  for (const part of subject.parts) await readText(part, found, turn);
  const counted = signals.filter((signal) => found.has(signal));
  const score = Math.min(
    100,
    counted.reduce((sum, signal) => sum + SCORES[signal], 0),
  );
  const explanation = counted.length === 0 ? 'No signs of a prompt injection' : `Signs found: ${counted.join(', ')}`;
  return { verdict: score >= threshold === not, data: { explanation, score, threshold, signals: counted, not } };
});

async function readText(text: string, found: Set<InjectionSignal>, turn: Turn): Promise<void> {
  let invisible = 0;
  let tagged = '';
  const decoded: string[] = [];
  for (const piece of piecesOf(text)) {
    invisible += countInvisible(piece);
    if (tagged.length < PIECE) tagged += taggedText(piece);
    decoded.push(...decodedTexts(piece, MAX_DECODED - decoded.length));
    await turn();
  }
  if (invisible >= MIN_INVISIBLE || tagged !== '') found.add('hidden');
  await readVisible(`${text}\n${tagged}`, found, turn);
  const inside = new Set<InjectionSignal>();
  for (const encoded of decoded) await readVisible(encoded, inside, turn);
  if (inside.size > 0) found.add('encoded');
}

async function readVisible(text: string, found: Set<InjectionSignal>, turn: Turn): Promise<void> {
  const folded = await foldText(text, turn);
  const phrases = createPhraseReader(found);
  for (const piece of piecesOf(folded.text)) {
    phrases.read(piece);
    readForms(piece, found);
    await turn();
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += PIECE - OVERLAP) yield text.slice(from, from + PIECE);
}
