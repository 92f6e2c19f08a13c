// The findings: only the rows in sight exist, so that any number scrolls smoothly.
const ROW = 58;

class FindingList {
  constructor(element, onSelect) {
    this.box = element;
    this.all = el('div', { class: 'all' });
    this.box.append(this.all);
    this.onSelect = onSelect;
    this.items = [];
    this.selected = -1;
    this.rows = new Map();
    // Both come once a frame at most.
    this.box.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  show(items, keep) {
    this.items = items;
    this.all.style.height = items.length * ROW + 'px';
    this.rows.forEach(row => row.remove());
    this.rows.clear();
    this.select(Math.max(0, items.indexOf(keep)), true);
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - 4);
    const last = Math.min(this.items.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + 4);
    for (const [index, row] of this.rows) {
      if (index < first || index >= last) { row.remove(); this.rows.delete(index); }
    }
    for (let i = first; i < last; ++i) {
      if (!this.rows.has(i)) {
        const row = this.row(this.items[i], i);
        this.rows.set(i, row);
        this.all.append(row);
      }
    }
  }

  row(finding, index) {
    return el('div', {
      class: `row v-${finding.consequence}${finding.silenced ? ' silenced' : ''}`, style: `top:${index * ROW}px`,
      id: 'row' + index, role: 'option', 'aria-selected': index === this.selected ? 'true' : 'false',
      'aria-setsize': this.items.length, 'aria-posinset': index + 1, onclick: () => this.select(index),
    },
      el('div', { class: 'top' }, el('b', { class: 'mono' }, finding.code), el('span', {}, finding.slug),
        el('small', {}, words(finding.consequence))),
      el('div', { class: 'where name', title: finding.message },
        short(finding.node || 'the model as a whole', 44), finding.port ? ' · ' + finding.port : ''));
  }

  select(index, quiet) {
    if (this.items.length === 0) { this.selected = -1; this.box.removeAttribute('aria-activedescendant'); this.onSelect(null); return; }
    index = Math.max(0, Math.min(this.items.length - 1, index));
    this.rows.get(this.selected)?.setAttribute('aria-selected', 'false');
    this.selected = index;
    this.rows.get(index)?.setAttribute('aria-selected', 'true');
    this.box.setAttribute('aria-activedescendant', 'row' + index);
    const top = index * ROW, bottom = top + ROW;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
    if (!quiet) this.draw();
    this.onSelect(this.items[index]);
  }

  move(by) { this.select(this.selected + by); }
  page() { return Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1); }
}
