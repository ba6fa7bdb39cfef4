/** Signs that a text wants to be taken for instructions, and what each counts. */
import type { InjectionSignal } from '@gatehouse/crds/guardrails';
import { type Concept, conceptsOf, conceptsOfJoined } from './concepts.ts';
import { wordsOf } from './words.ts';

export const SCORES: Readonly<Record<InjectionSignal, number>> = {
  override: 60,
  extraction: 60,
  persona: 50,
  delimiter: 50,
  hidden: 30,
  encoded: 60,
};

interface Phrase {
  readonly signal: InjectionSignal;
  /** All of them stand close together, in any order; of an inner list, one. */
  readonly concepts: readonly (readonly Concept[])[];
}

const PHRASES: readonly Phrase[] = [
  { signal: 'override', concepts: [['ignore'], ['instructions'], ['given', 'all', 'system']] },
  { signal: 'override', concepts: [['ignore'], ['rules'], ['given', 'system']] },
  { signal: 'extraction', concepts: [['reveal'], ['instructions'], ['system']] },
  { signal: 'extraction', concepts: [['reveal'], ['instructions'], ['given'], ['all', 'given']] },
  { signal: 'persona', concepts: [['pretend'], ['unbound']] },
];
/** Words between the first and the last of a phrase. */
const REACH = 9;
/** Letters that are written apart count as a word from this number on. */
const MIN_APART = 6;
const MAX_APART = 64;

export interface SignalReader {
  /** Reads on; texts may be cut between words. */
  read(text: string): void;
}

/** Adds the signals of words that stand close together. */
export function createPhraseReader(found: Set<InjectionSignal>): SignalReader {
  const last = new Map<Concept, number>();
  let position = 0;
  let apart = '';

  const meet = (concepts: readonly Concept[]): void => {
    if (concepts.length === 0) return;
    for (const concept of concepts) last.set(concept, position);
    const isNear = (concept: Concept): boolean => position - (last.get(concept) ?? Number.NEGATIVE_INFINITY) <= REACH;
    for (const phrase of PHRASES) {
      if (phrase.concepts.every((choice) => choice.some(isNear))) found.add(phrase.signal);
    }
  };
  const endApart = (): void => {
    if (apart.length >= MIN_APART) meet(conceptsOfJoined(apart));
    apart = '';
  };

  return {
    read: (text) => {
      for (const word of wordsOf(text)) {
        position++;
        if (word.length === 1) apart += word;
        if (word.length > 1 || apart.length >= MAX_APART) endApart();
        if (word.length > 1) meet(conceptsOf(word));
      }
      endApart();
    },
  };
}

/** Marks with which chat templates separate roles, and headings that stand for them. Each of bounded length. */
const DELIMITER =
  /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant)(?:_prompt)?>|^ {0,3}#{2,4} ?(?:system|instruction|assistant)s?(?: prompt)? ?:|\[(?:system|assistant)\] ?\(|\bBEGIN (?:NEW )?SYSTEM (?:PROMPT|MESSAGE)|\bnew (?:system )?instructions? ?:/im;

/** Phrases of known jailbreaks that name what they want. */
const PERSONA =
  /\bdo anything now\b|\bDAN mode\b|\bdeveloper mode (?:enabled|activated|on)\b|\b(?:without|no|free of|free from) (?:any )?(?:ethical|content|safety|moral) (?:guidelines|filters?|restrictions|constraints|limitations)\b|\byou (?:have|are bound by) no (?:restrictions|rules|limits|limitations)\b/i;

/** Adds the signals that have a fixed form. */
export function readForms(text: string, found: Set<InjectionSignal>): void {
  if (DELIMITER.test(text)) found.add('delimiter');
  if (PERSONA.test(text)) found.add('persona');
}
