/** Where sessions of transcriptions name their model. Source: OpenAI API reference, realtime client secrets and transcription sessions. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';

/** Names of members, from the session to its model. */
export type ModelPath = readonly string[];

/** Of a session whose type says so. */
export const TRANSCRIPTION_MODEL: ModelPath = ['audio', 'input', 'transcription', 'model'];
/** Of the older sessions, which have an API of their own. */
export const OLDER_TRANSCRIPTION_MODEL: ModelPath = ['input_audio_transcription', 'model'];

export const isTranscription = (session: unknown): session is JsonObject =>
  isObject(session) && session['type'] === 'transcription';

/** A copy with the model at the path, in place of whatever is no object on the way. */
export function withModelAt(session: JsonObject, [name = '', ...below]: ModelPath, model: string): JsonObject {
  if (below.length === 0) return { ...session, [name]: model };
  const inner = session[name];
  return { ...session, [name]: withModelAt(isObject(inner) ? inner : {}, below, model) };
}
