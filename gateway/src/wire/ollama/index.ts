export { fromOllamaChat, fromOllamaEmbed } from './answer.ts';
export { takesOllamaChat, takesOllamaEmbed } from './params.ts';
export { EFFORT_OF_THINKING, toOllamaChat, toOllamaEmbed } from './request.ts';
export { createOllamaDecoder } from './stream.ts';
