/** What the checks of partners are made of. */
export { authorizeBy, type CloudFields } from './cloud.ts';
export { needed, onDomain, type PartnerCredential } from './credential.ts';
export {
  type Ask,
  bearer,
  definePartner,
  eachText,
  keyHeader,
  once,
  type PartnerRequest,
  type TextPart,
} from './partner.ts';
export { listAt, malformed, member, needBoolean, needObject, numberAt, objectAt, textAt } from './reply.ts';
export { contentText, messagesOf, replaceSpans, replaceTexts, type Span } from './texts.ts';
