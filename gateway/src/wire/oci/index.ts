export { fromOciChat } from './answer.ts';
export { apiFormatOf, takesOciChat } from './params.ts';
export { type OciTarget, toOciChat } from './request.ts';
export { createOciDecoder } from './stream.ts';
