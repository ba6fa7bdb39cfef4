/** The order of turns that Converse asks for. */
import type { Block } from './media.ts';

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** Put before a conversation that starts with the assistant: the upstream wants the user first, and no blank text. */
const OPENING: Turn = { role: 'user', content: [{ text: '.' }] };

/** Turns alternate: neighbours of one role are one turn, empty ones are left out, and the user comes first. */
export function toAlternatingTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    if (turn.content.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === turn.role) merged[merged.length - 1] = { ...last, content: [...last.content, ...turn.content] };
    else merged.push(turn);
  }
  const complete = merged.map(withDocumentText);
  return complete[0]?.role === 'assistant' ? [OPENING, ...complete] : complete;
}

/** A document needs text beside it. */
function withDocumentText(turn: Turn): Turn {
  const { content } = turn;
  if (!content.some((block) => 'document' in block) || content.some((block) => 'text' in block)) return turn;
  // Tool results stay in front: they have to follow their calls at once.
  const at = content.findIndex((block) => !('toolResult' in block) && !('cachePoint' in block));
  return { ...turn, content: [...content.slice(0, at), { text: ' ' }, ...content.slice(at)] };
}
