import swcJest from '@swc/jest';

/** Compiles for Jest as `@swc/jest` does; one file with the mutation that the environment variable `MUTATION` says. */
export default {
  createTransformer(options) {
    const swc = swcJest.createTransformer(options);
    const { path, start, end, text } = JSON.parse(process.env.MUTATION);
    const mutated = (source, file) =>
      file === path ? `${source.slice(0, start)}${text}${source.slice(end)}` : source;
    return {
      ...swc,
      process: (source, file, jest) => swc.process(mutated(source, file), file, jest),
      processAsync: (source, file, jest) => swc.processAsync(mutated(source, file), file, jest),
      getCacheKey: (source, file, jest) => swc.getCacheKey(mutated(source, file), file, jest),
    };
  },
};
