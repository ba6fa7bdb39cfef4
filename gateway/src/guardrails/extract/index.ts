export {
  ANSWER_QUOTES,
  CHOICE_QUOTES,
  isOwnCall,
  isSummary,
  type TextWithin,
  textsOfBlock,
  textsOfItem,
  textsOfMembers,
  textsOfMessage,
} from './beside.ts';
export { encoded, type JsonPiece, JsonStrings } from './json-strings.ts';
export { MAX_CHECKED_CHARS, type Path, type Place } from './place.ts';
export { placesOf } from './places.ts';
export { requestText, responseText } from './whole-text.ts';
export { withTexts } from './write-back.ts';
