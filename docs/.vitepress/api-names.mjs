import { Converter, ReflectionKind } from 'typedoc';

/** Names the modules of the API as programs import them: `@sigil/core/content` in place of `core/src/content`. */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const [name, , entry] = module.name.split('/');
      const package_ = name === 'create-mcp-app' ? name : `@sigil/${name}`;
      module.name = entry === undefined ? package_ : `${package_}/${entry}`;
    }
  });
}
