//! For each language: a definition, a call through an import, a call on a
//! receiver, a reference.

use super::Tree;

#[test]
fn rust() {
    let tree = Tree::of(&[
        (
            "src/engine.rs",
            "pub struct Engine { depth: u32 }
             impl Engine {
                 pub fn new() -> Self { Self { depth: 0 } }
                 pub fn run(&self) -> u32 { self.depth() + helper() }
                 fn depth(&self) -> u32 { self.depth }
             }
             fn helper() -> u32 { 1 }",
        ),
        (
            "src/main.rs",
            "mod engine;
             use engine::Engine;
             struct Car { engine: Option<Box<Engine>> }
             impl Car { fn drive(&self) { if let Some(engine) = &self.engine { engine.run(); } } }
             fn main() { let engine = Engine::new(); assert_eq!(engine.run(), 1); }
             fn other(it: &crate::engine::Engine) { it.run(); helper(); }
             fn foreign(it: &std::process::Command) { it.run(); }",
        ),
    ]);
    assert_eq!(
        tree.callers("Engine::run"),
        [
            "src/main.rs#Car.drive receiver",
            "src/main.rs#main receiver",
            "src/main.rs#other receiver"
        ]
    );
    assert_eq!(
        tree.callees("Engine::run"),
        ["src/engine.rs#Engine.depth~2 receiver", "src/engine.rs#helper scoped"]
    );
    assert_eq!(tree.callers("helper"), ["src/engine.rs#Engine.run scoped"]);
    assert_eq!(
        tree.references("Engine"),
        ["src/engine.rs:2", "src/main.rs:2", "src/main.rs:3", "src/main.rs:5", "src/main.rs:6"]
    );
}

#[test]
fn rust_through_crates_traits_and_reexports() {
    let tree = Tree::of(&[
        (
            "crates/a-b/src/lib.rs",
            "mod inner; pub use inner::Thing; pub mod deep { pub fn f() {} }",
        ),
        (
            "crates/a-b/src/inner.rs",
            "pub trait Acts { fn act(&self) { self.base() } fn base(&self); }
             pub struct Thing;
             impl Acts for Thing { fn base(&self) {} }
             macro_rules! shout { () => {} }",
        ),
        (
            "crates/c/src/lib.rs",
            "use a_b::{Thing, deep::f as g};
             fn one(thing: Thing) { thing.act(); }
             fn two() { g(); a_b::deep::f(); }
             fn three(it: &dyn a_b::inner::Acts) { it.base(); }
             fn four<T: a_b::inner::Acts>(it: T) { it.act(); }",
        ),
    ]);
    assert_eq!(
        tree.callers("Acts::act"),
        ["crates/c/src/lib.rs#four receiver", "crates/c/src/lib.rs#one receiver"]
    );
    assert_eq!(tree.callers("deep::f"), ["crates/c/src/lib.rs#two imported"]);
    assert_eq!(
        tree.callers("Acts.base"),
        ["crates/a-b/src/inner.rs#Acts.act receiver", "crates/c/src/lib.rs#three receiver"]
    );
}

#[test]
fn a_rust_crate_may_lie_in_a_folder_named_by_the_end_of_its_name() {
    let tree = Tree::of(&[
        ("crates/searcher/src/lib.rs", "pub fn search() {}"),
        ("crates/cli/src/main.rs", "fn main() { grep_searcher::search(); }"),
        ("crates/one/util/src/lib.rs", "pub fn help() {}"),
        ("crates/two/util/src/lib.rs", "pub fn help() {}"),
        ("crates/other/src/lib.rs", "fn other() { some_util::help(); }"),
    ]);
    assert_eq!(tree.callers("search"), ["crates/cli/src/main.rs#main imported"]);
    assert_eq!(tree.callers("help"), [""; 0], "either could be meant");
}

#[test]
fn go() {
    let tree = Tree::of(&[
        (
            "store/store.go",
            "package store
             type Store struct { size int }
             func New() *Store { return &Store{} }
             func (s *Store) Load(key string) int { return s.count() }
             func (s *Store) count() int { return s.size }",
        ),
        ("store/more.go", "package store\nfunc Fresh() { New() }"),
        (
            "main.go",
            "package main
             import \"example.com/app/store\"
             type App struct { store *store.Store }
             func (a *App) Start() { a.store.Load(\"x\") }
             func main() { s := store.New(); s.Load(\"y\") }",
        ),
    ]);
    assert_eq!(tree.callers("Store.Load"), ["main.go#App.Start receiver", "main.go#main receiver"]);
    assert_eq!(tree.callers("store.New"), ["main.go#main imported", "store/more.go#Fresh package"]);
    assert_eq!(tree.callees("Load"), ["store/store.go#Store.count receiver"]);
    assert_eq!(tree.references("Store").len(), 4);
}

#[test]
fn typescript() {
    let tree = Tree::of(&[
        (
            "src/service.ts",
            "export interface Loads { load(id: string): Promise<Item> }
             export class Item { title(): string { return '' } }
             export class Service implements Loads {
                 constructor(private readonly cache: Cache) {}
                 async load(id: string): Promise<Item> { this.check(id); return this.cache.read(id); }
                 private check(id: string) {}
             }
             class Cache { read(id: string): Item { return new Item() } }
             export default function start(): Service { return new Service(new Cache()) }
             export const twice = (n: number) => n * 2;",
        ),
        ("src/index.ts", "export { Service as Api } from './service'; export * from './service';"),
        (
            "src/page.tsx",
            "import begin, { twice as double } from './service';
             import * as all from './service.js';
             import { Api } from '.';
             function Button() { return <b/>; }
             export const Page = () => { const s = begin(); s.load('x'); double(2); all.twice(3); return <Button/>; };
             async function title(api: Api) { (await api.load('y')).title(); }",
        ),
    ]);
    assert_eq!(
        tree.callers("Service.load"),
        ["src/page.tsx#Page receiver", "src/page.tsx#title receiver"]
    );
    assert_eq!(tree.callers("twice"), ["src/page.tsx#Page imported"]);
    assert_eq!(tree.callers("Item.title"), ["src/page.tsx#title receiver"]);
    assert_eq!(tree.callers("Button"), ["src/page.tsx#Page scoped"]);
    assert_eq!(tree.callers("start"), ["src/page.tsx#Page imported"]);
    assert_eq!(
        tree.callees("Service#load"),
        ["src/service.ts#Cache.read receiver", "src/service.ts#Service.check receiver"]
    );
    assert_eq!(
        tree.references("twice"),
        ["src/page.tsx:1", "src/page.tsx:5", "src/page.tsx:5"].map(str::to_owned)[..2]
    );
}

#[test]
fn javascript() {
    let tree = Tree::of(&[
        (
            "lib/tools.js",
            "function trimAll(text) { return text.trim(); }
             exports.splitAll = function (text) { return trimAll(text); };
             class Box { constructor() { this.lid = new Lid(); } shutLid() { this.lid.shut(); } }
             class Lid { shut() {} }
             module.exports.trimAll = trimAll;",
        ),
        (
            "app.js",
            "const tools = require('./lib/tools');
             const { trimAll } = require('./lib/tools');
             function main() { tools.splitAll('a'); trimAll('b'); }",
        ),
    ]);
    assert_eq!(tree.callers("splitAll"), ["app.js#main imported"]);
    assert_eq!(tree.callers("trimAll"), ["app.js#main imported", "lib/tools.js#splitAll scoped"]);
    assert_eq!(tree.callers("Lid.shut"), ["lib/tools.js#Box.shutLid receiver"]);
}

#[test]
fn python() {
    let tree = Tree::of(&[
        ("app/__init__.py", "from .engine import Engine"),
        (
            "app/engine.py",
            "class Base:\n    def begin(self):\n        self.prepare()\n    def prepare(self):\n        pass\n\n\
             class Engine(Base):\n    def __init__(self, pump: 'Pump'):\n        self.pump = pump\n    \
             def run(self):\n        super().begin()\n        self.pump.press()\n\n\
             class Pump:\n    def press(self): pass\n    @classmethod\n    def make(cls) -> 'Pump':\n        return cls()\n\n\
             def build() -> Engine:\n    return Engine(Pump.make())\n",
        ),
        (
            "main.py",
            "import app.engine\nfrom app import Engine as E\nfrom app.engine import build\n\n\
             def main():\n    engine = build()\n    engine.run()\n    app.engine.build()\n    E(None).begin()\n",
        ),
    ]);
    assert_eq!(tree.callers("Engine.run"), ["main.py#main receiver"]);
    assert_eq!(tree.callers("build"), ["main.py#main imported"]);
    assert_eq!(
        tree.callers("Base.begin"),
        ["app/engine.py#Engine.run receiver", "main.py#main receiver"]
    );
    assert_eq!(
        tree.callees("Engine.run"),
        ["app/engine.py#Base.begin receiver", "app/engine.py#Pump.press receiver"]
    );
    assert_eq!(
        tree.callers("Engine.__init__"),
        ["app/engine.py#build scoped", "main.py#main imported"]
    );
    assert_eq!(
        tree.references("Engine"),
        ["app/__init__.py:1", "app/engine.py:20", "app/engine.py:21", "main.py:2", "main.py:9"]
    );
}

#[test]
fn java() {
    let tree = Tree::of(&[
        (
            "src/com/shop/Cart.java",
            "package com.shop;
             public class Cart extends Base {
                 private Price price;
                 public int total() { count(); audit(); return price.amount(); }
                 private void count() {}
             }",
        ),
        ("src/com/shop/Base.java", "package com.shop;\nclass Base { void audit() {} }"),
        (
            "src/com/shop/Price.java",
            "package com.shop;\npublic class Price { public int amount() { return 1; } public static Price of() { return new Price(); } }",
        ),
        (
            "src/com/web/Page.java",
            "package com.web;
             import com.shop.Cart;
             import com.shop.*;
             class Page { void show(Cart cart) { cart.total(); Price.of().amount(); } }",
        ),
    ]);
    assert_eq!(tree.callers("Cart.total"), ["src/com/web/Page.java#Page.show receiver"]);
    assert_eq!(
        tree.callers("Price.amount"),
        ["src/com/shop/Cart.java#Cart.total receiver", "src/com/web/Page.java#Page.show receiver"]
    );
    assert_eq!(
        tree.callees("Cart.total"),
        [
            "src/com/shop/Base.java#Base.audit receiver",
            "src/com/shop/Cart.java#Cart.count scoped",
            "src/com/shop/Price.java#Price.amount receiver"
        ]
    );
    assert_eq!(tree.references("Cart").len(), 2);
}

#[test]
fn kotlin() {
    let tree = Tree::of(&[
        (
            "shop/Cart.kt",
            "package com.shop
             class Cart(private val price: Price) {
                 fun total(): Int { count(); return price.amount() }
                 private fun count() {}
             }
             class Price { fun amount(): Int = 1 }
             fun fresh(): Cart = Cart(Price())",
        ),
        (
            "web/Page.kt",
            "package com.web
             import com.shop.Cart
             import com.shop.fresh as make
             class Page { fun show(cart: Cart) { cart.total(); val other = make(); other.total() } }",
        ),
    ]);
    assert_eq!(tree.callers("Cart.total"), ["web/Page.kt#Page.show receiver"]);
    assert_eq!(tree.callers("fresh"), ["web/Page.kt#Page.show imported"]);
    assert_eq!(
        tree.callees("Cart.total"),
        ["shop/Cart.kt#Cart.count scoped", "shop/Cart.kt#Price.amount receiver"]
    );
    assert!(tree.references("Cart").contains(&"web/Page.kt:4".to_owned()));
}

#[test]
fn csharp() {
    let tree = Tree::of(&[
        (
            "Shop/Cart.cs",
            "namespace Shop.Core;
             public class Cart : Base {
                 private readonly Price price;
                 public int Total() { Count(); Audit(); return price.Amount(); }
                 private void Count() {}
             }
             public class Base { protected void Audit() {} }
             public class Price { public int Amount() => 1; public static Price Of() => new Price(); }",
        ),
        (
            "Web/Page.cs",
            "using Shop.Core;
             namespace Shop.Web { class Page { void Show(Cart cart) { cart.Total(); var p = Price.Of(); p.Amount(); } } }",
        ),
    ]);
    assert_eq!(tree.callers("Cart.Total"), ["Web/Page.cs#Page.Show receiver"]);
    assert_eq!(
        tree.callees("Cart.Total"),
        [
            "Shop/Cart.cs#Base.Audit receiver",
            "Shop/Cart.cs#Cart.Count scoped",
            "Shop/Cart.cs#Price.Amount receiver"
        ]
    );
    assert_eq!(
        tree.callers("Price.Amount"),
        ["Shop/Cart.cs#Cart.Total receiver", "Web/Page.cs#Page.Show receiver"]
    );
    assert!(tree.references("Cart").contains(&"Web/Page.cs:2".to_owned()));
}

#[test]
fn ruby() {
    let tree = Tree::of(&[
        (
            "lib/cart.rb",
            "module Shop\n  class Cart < Base\n    def initialize\n      @price = Price.new\n    end\n    \
             def total\n      count_items\n      audit_all\n      @price.amount_due\n    end\n    def count_items; end\n  end\n  \
             class Base\n    def audit_all; end\n  end\n  class Price\n    def amount_due; end\n    def self.of; end\n  end\nend\n",
        ),
        (
            "app.rb",
            "require_relative 'lib/cart'\ndef main\n  cart = Shop::Cart.new\n  cart.total\n  Shop::Price.of\nend\n",
        ),
    ]);
    assert_eq!(tree.callers("Cart#total"), ["app.rb#main receiver"]);
    assert_eq!(
        tree.callees("Shop::Cart#total"),
        [
            "lib/cart.rb#Shop.Base.audit_all receiver",
            "lib/cart.rb#Shop.Cart.count_items scoped",
            "lib/cart.rb#Shop.Price.amount_due receiver"
        ]
    );
    assert_eq!(tree.references("Cart"), ["app.rb:3"]);
}

#[test]
fn php() {
    let tree = Tree::of(&[
        (
            "src/Cart.php",
            "<?php\nnamespace App\\Shop;\nclass Cart extends Base {\n    public function __construct(private Price $price) {}\n    \
             public function total(): int { $this->count(); $this->audit(); return $this->price->amount(); }\n    \
             private function count() {}\n}\nclass Base { function audit() {} }\n\
             class Price { function amount() {} static function of(): Price { return new Price(); } }\nfunction fresh() {}\n",
        ),
        (
            "src/Page.php",
            "<?php\nnamespace App\\Web;\nuse App\\Shop\\Cart;\nuse App\\Shop\\Price as Money;\nuse function App\\Shop\\fresh;\n\
             class Page { function show(Cart $cart) { $cart->total(); Money::of()->amount(); fresh(); } }\n",
        ),
    ]);
    assert_eq!(tree.callers("Cart::total"), ["src/Page.php#Page.show receiver"]);
    assert_eq!(
        tree.callees("Cart->total"),
        [
            "src/Cart.php#Base.audit receiver",
            "src/Cart.php#Cart.count receiver",
            "src/Cart.php#Price.amount receiver"
        ]
    );
    assert_eq!(
        tree.callers("Price.amount"),
        ["src/Cart.php#Cart.total receiver", "src/Page.php#Page.show receiver"]
    );
    assert_eq!(tree.callers("fresh"), ["src/Page.php#Page.show imported"]);
    assert!(tree.references("Cart").contains(&"src/Page.php:6".to_owned()));
}
