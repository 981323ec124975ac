import { Arg, clientShowsUi, Service, Tool, ToolContext, Ui, UiResource } from '@sigil/core';
import { content } from '@sigil/core/content';
import { COLOR_PAGE } from './color-page.js';

const VIEW = 'ui://colors/view.html';

/** Two color tools, and the UI that shows their results. */
@Service()
export class ColorTools {
  @Tool({
    description: 'Mixes a color from red, green and blue',
    readOnly: true,
  })
  @Ui(VIEW)
  mixColor(
    @Arg('red', { type: 'integer', minimum: 0, maximum: 255 }) red: number,
    @Arg('green', { type: 'integer', minimum: 0, maximum: 255 }) green: number,
    @Arg('blue', { type: 'integer', minimum: 0, maximum: 255 }) blue: number,
    ctx: ToolContext,
  ): object {
    const color = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    // Where a UI shows the color, the model need not be told what it looks like.
    const words = clientShowsUi(ctx.client) ? color : `${color}: ${red} red, ${green} green, ${blue} blue`;
    return { content: [content.text(words)], structuredContent: { color } };
  }

  @Tool({
    description: 'Gives a random color to the page of mix_color',
    readOnly: true,
  })
  @Ui({ resourceUri: VIEW, visibility: ['app'] })
  randomColor(): object {
    const color = Math.floor(Math.random() * 0x1000000);
    return { color: `#${color.toString(16).padStart(6, '0')}` };
  }

  @UiResource(VIEW, {
    title: 'Color',
    description: 'Shows the color that mix_color gives',
    csp: { connectDomains: [], resourceDomains: [] },
    prefersBorder: true,
  })
  view(): string {
    return COLOR_PAGE;
  }
}
