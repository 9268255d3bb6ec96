"use strict";
(() => {
  // node_modules/preact/dist/preact.mjs
  var n;
  var t;
  var r;
  var u;
  var i;
  var f;
  var o;
  var e;
  var l;
  var c;
  var a;
  var s;
  var h = /* @__PURE__ */ Symbol.for("pv");
  var p = {};
  var y = [];
  var v = /^m(i|n|o|s|text|space)$/;
  var w = Array.isArray;
  var d = y.slice;
  var _ = Object.assign;
  function g(n2) {
    n2 && n2.parentNode && n2.remove();
  }
  function m(r3, u3, i3, f4, o4) {
    var e3 = { type: r3, props: u3, key: i3, ref: f4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o4 || ++t, __i: -1, __u: 0 };
    return !o4 && n.vnode && n.vnode(e3), e3;
  }
  function $(n2) {
    return n2.children;
  }
  function x(n2, t3) {
    this.props = n2, this.context = t3, this.__g = 0;
  }
  function S(n2, t3) {
    if (null == t3) return n2.__ && S(n2.__, n2.__i + 1);
    for (var r3; t3 < n2.__k.length; t3++) if ((r3 = n2.__k[t3]) && r3.__e) return r3.__e;
    return "function" != typeof n2.type || n2.props.__P ? null : S(n2);
  }
  function C(t3) {
    var r3, u3 = t3.__v, i3 = u3.__e, f4 = [], o4 = [], e3 = t3.__P;
    e3 && ((r3 = _({ constructor: h }, u3)).__v = u3.__v + 1, n.vnode && n.vnode(r3), z(e3, r3, u3, t3.__n, e3.namespaceURI, 32 & u3.__u ? [i3] : null, f4, i3 || S(u3), 32 & u3.__u, o4), r3.__v = u3.__v, r3.__.__k[r3.__i] = r3, E(f4, r3, o4), u3.__ = u3.__e = null, r3.__e != i3 && j(r3));
  }
  function j(n2) {
    if ((n2 = n2.__) && n2.__c && !n2.props.__P) return n2.__e = null, n2.__k.some(function(t3) {
      return t3 && (n2.__e = t3.__e);
    }), j(n2);
  }
  function L(t3) {
    (8 & t3.__g || (t3.__g |= 8, u.push(t3), f++)) && i == n.debounceRendering || ((i = n.debounceRendering) || queueMicrotask)(H);
  }
  function H() {
    try {
      for (var n2, t3 = 1; u.length; ) u.length > t3 && u.sort(o), n2 = u.shift(), t3 = u.length, 8 & n2.__g && C(n2);
    } finally {
      (f = u.length) && (i || queueMicrotask)(H);
    }
  }
  function I(n2, t3, r3, u3, i3, f4, o4, e3, l3, c3, a4) {
    var s3, h3, v3, w3, d3, _3, g3 = u3.__k || y, k2 = t3.length;
    for (l3 = q(r3, t3, g3, l3, k2), s3 = 0; s3 < k2; s3++) null != (v3 = r3.__k[s3]) && (h3 = ~v3.__i && g3[v3.__i] || p, v3.__i = s3, _3 = z(n2, v3, h3, i3, f4, o4, e3, l3, c3, a4), w3 = v3.__e, (h3.ref != v3.ref || 8 & h3.__u) && (h3.ref && G(h3.ref, null, v3, h3), v3.ref && a4.push(v3.ref, v3.__c || w3, v3)), d3 = d3 || w3, 4 & v3.__u ? (l3 = A(v3, l3, n2, !h3.__v), h3.__e && (h3.__e = null)) : "function" == typeof v3.type && void 0 !== _3 ? l3 = _3 : w3 && (l3 = w3.nextSibling), v3.__u &= -21);
    return r3.__e = d3, l3;
  }
  function q(n2, t3, r3, u3, i3) {
    var f4, o4, e3, l3, c3, a4, s3, p3, y3, v3 = r3.length, d3 = v3, _3 = 0, g3 = 0, k2 = n2.__k = Array(i3);
    for (f4 = 0; f4 < i3; f4++) null != (o4 = t3[f4]) && "boolean" != typeof o4 && "function" != typeof o4 ? ("object" != typeof o4 || o4.constructor === String ? o4 = k2[f4] = m(null, o4) : w(o4) ? o4 = k2[f4] = m($, { children: o4 }) : o4.constructor === h && o4.__b ? o4 = k2[f4] = m(o4.type, o4.props, o4.key, o4.ref, o4.__v) : k2[f4] = o4, l3 = f4 + _3, o4.__ = n2, o4.__b = n2.__b + 1, e3 = null, ~(c3 = o4.__i = P(o4, r3, l3, d3)) && (d3--, (e3 = r3[c3]) && (e3.__u |= 2)), e3 && e3.__v ? (o4.__u |= 16, c3 == l3 - 1 ? _3-- : c3 == l3 + 1 ? _3++ : c3 != l3 && (c3 > l3 ? _3-- : _3++, g3 = 1)) : (~c3 || (i3 > v3 ? _3-- : i3 < v3 && _3++), "function" != typeof o4.type && (o4.__u |= 4))) : k2[f4] = null;
    if (g3) {
      for (a4 = [], s3 = [], f4 = 0; f4 < i3; f4++) if ((o4 = k2[f4]) && 16 & o4.__u) {
        for (_3 = 0, p3 = a4.length; _3 < p3; ) a4[y3 = _3 + p3 >> 1] < o4.__i ? _3 = y3 + 1 : p3 = y3;
        a4[_3] = o4.__i, s3[f4] = _3 + 1;
      }
      for (_3 = a4.length; f4--; ) s3[f4] && (s3[f4] == _3 ? _3-- : k2[f4].__u |= 4);
    }
    if (d3) for (f4 = 0; f4 < v3; f4++) !(e3 = r3[f4]) || 2 & e3.__u || (e3.__e == u3 && (u3 = S(e3)), J(e3, e3));
    return u3;
  }
  function A(n2, t3, r3, u3) {
    var i3, f4, o4, e3;
    if ("function" == typeof n2.type) {
      if (n2.props.__P) return t3;
      if (i3 = n2.__k) for (f4 = 0; f4 < i3.length; f4++) i3[f4] && (i3[f4].__ = n2, t3 = A(i3[f4], t3, r3, false));
      return t3;
    }
    for (t3 && !t3.parentNode && (t3 = S(n2)) && !t3.parentNode && (t3 = null), o4 = n2.__e, e3 = t3; e3 && 8 == e3.nodeType; ) e3 = e3.nextSibling;
    for (o4 != e3 && (!u3 && r3.moveBefore && o4.parentNode ? r3.moveBefore(o4, t3) : r3.insertBefore(o4, t3 || null)), t3 = o4; (t3 = t3 && t3.nextSibling) && 8 == t3.nodeType && !t3.data.startsWith("$s"); ) ;
    return t3;
  }
  function P(n2, t3, r3, u3) {
    var i3, f4 = n2.key, o4 = n2.type, e3 = t3[r3], l3 = e3 && !(2 & e3.__u);
    if (null === e3 && null == f4 || l3 && f4 == e3.key && o4 == e3.type) return r3;
    if (u3 > (l3 ? 1 : 0)) {
      for (i3 = r3 - 1; i3 >= 0; i3--) if ((e3 = t3[i3]) && !(2 & e3.__u) && f4 == e3.key && o4 == e3.type) return i3;
      for (i3 = r3 + 1; i3 < t3.length; i3++) if ((e3 = t3[i3]) && !(2 & e3.__u) && f4 == e3.key && o4 == e3.type) return i3;
    }
    return -1;
  }
  function T(n2, t3, r3) {
    null == r3 && (r3 = ""), "-" == t3[0] ? n2.setProperty(t3, r3) : n2[t3] = r3;
  }
  function N(n2, t3, r3, u3, i3) {
    var f4, o4;
    if ("style" == t3) if ("string" == typeof r3) n2.style.cssText = r3;
    else {
      if ("string" == typeof u3 && (n2.style.cssText = u3 = ""), u3) for (t3 in u3) r3 && t3 in r3 || T(n2.style, t3);
      if (r3) for (t3 in r3) u3 && r3[t3] == u3[t3] || T(n2.style, t3, r3[t3]);
    }
    else if ("o" == t3[0] && "n" == t3[1]) "function" != typeof r3 && (r3 = null), "function" != typeof u3 && (u3 = null), (n2.__e || (n2.__e = {}))[t3] = r3, r3 && u3 || (o4 = a[t3] || (a[t3] = V(t3)), (n2.__a || (n2.__a = {}))[t3] = c, f4 = t3 != (t3 = t3.replace(l, "$1")), (t3 = t3.slice(2))[0] < "a" && (t3 = t3.toLowerCase()), r3 ? n2.addEventListener(t3, o4, f4) : n2.removeEventListener(t3, o4, f4));
    else {
      if ("http://www.w3.org/2000/svg" == i3) t3 = t3.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
      else if ("width" != t3 && "height" != t3 && "href" != t3 && "list" != t3 && "form" != t3 && "tabIndex" != t3 && "download" != t3 && "rowSpan" != t3 && "colSpan" != t3 && "role" != t3 && "popover" != t3 && t3 in n2) try {
        return void (n2[t3] = null == r3 ? "" : r3);
      } catch (n3) {
      }
      if ("function" == typeof r3) return;
      null == r3 || false === r3 && "-" != t3[4] ? n2.removeAttribute(t3) : n2.setAttribute(t3, "popover" == t3 && 1 == r3 ? "" : r3);
    }
  }
  function V(t3) {
    return function(r3) {
      var u3 = this.__e;
      if (u3) {
        if (u3 = u3[t3], null == r3[e]) r3[e] = c++;
        else if (r3[e] < this.__a[t3]) return;
        return u3(n.event ? n.event(r3) : r3);
      }
    };
  }
  function z(t3, r3, u3, i3, f4, o4, e3, l3, c3, a4) {
    var s3, p3, v3, d3, k2, b, m3, M, C3, j2, L2, H2, q2, A3, O, P3, T3, N2, V2 = r3.type;
    if (r3.constructor !== h) return null;
    128 & u3.__u && (c3 = 32 & u3.__u, s3 = u3.__c.__z) && (r3.__u |= c3, p3 = o4 = [], 8 == s3.nodeType ? l3 = B(s3, o4) : o4.push(s3), l3 = o4[0] || l3), (s3 = n.__b) && s3(r3);
    n: if ("function" == typeof V2) {
      v3 = e3.length;
      try {
        if (M = r3.props, C3 = (s3 = V2.prototype) && s3.render, j2 = (s3 = V2.contextType) && i3[s3.__c], L2 = s3 ? j2 ? j2.props.value : s3.__ : i3, (d3 = u3.__c) ? (r3.__c = d3, 2 & d3.__g && (d3.__g |= 1)) : (C3 ? r3.__c = d3 = new V2(M, L2) : (r3.__c = d3 = new x(M, L2), d3.constructor = V2, d3.render = K), j2 && j2.sub(d3), d3.state || (d3.state = {}), d3.__n = i3, d3.__g |= 8, d3.__h = [], d3.__k = []), C3 && (d3.__s || (d3.__s = d3.state), V2.getDerivedStateFromProps && (d3.__s == d3.state && (d3.__s = _({}, d3.__s)), _(d3.__s, V2.getDerivedStateFromProps(M, d3.__s)))), k2 = d3.props, b = d3.state, d3.__v = r3, u3.__c) {
          if (M !== k2 && C3 && !V2.getDerivedStateFromProps && d3.componentWillReceiveProps && d3.componentWillReceiveProps(M, L2), r3.__v == u3.__v && !(8 & d3.__g) || !(4 & d3.__g) && d3.shouldComponentUpdate && false === d3.shouldComponentUpdate(M, d3.__s, L2)) {
            r3.__v != u3.__v && (d3.props = M, d3.state = d3.__s, d3.__g &= -9), r3.__e = u3.__e, r3.__k = u3.__k, r3.__k.some(function(n2) {
              n2 && (n2.__ = r3);
            }), y.push.apply(d3.__h, d3.__k), d3.__k = [], d3.__h.length && e3.push(d3), l3 = S(u3);
            break n;
          }
          d3.componentWillUpdate && d3.componentWillUpdate(M, d3.__s, L2), C3 && d3.componentDidUpdate && d3.__h.push(function() {
            d3.componentDidUpdate(k2, b, m3);
          });
        } else C3 && !V2.getDerivedStateFromProps && d3.componentWillMount && d3.componentWillMount(), C3 && d3.componentDidMount && d3.__h.push(d3.componentDidMount);
        d3.context = L2, d3.props = M, d3.__P = t3, d3.__g &= -5, H2 = n.__r, q2 = C3 ? 25 : 0;
        do {
          d3.__g &= -9, H2 && H2(r3), s3 = d3.render(d3.props, d3.state = d3.__s, d3.context);
        } while (8 & d3.__g && ++q2 < 25);
        C3 && (y.push.apply(d3.__h, d3.__k), d3.__k = []), d3.state = d3.__s, d3.getChildContext && (i3 = _({}, i3, d3.getChildContext())), C3 && u3.__c && d3.getSnapshotBeforeUpdate && (m3 = d3.getSnapshotBeforeUpdate(k2, b)), A3 = s3 && s3.type === $ && null == s3.key ? s3.props.children : s3, M.__P && (s3 = l3, f4 = (t3 = M.__P).namespaceURI, c3 = o4 = null, u3.props && u3.props.__P != t3 && (u3.__k.some(function(n2) {
          n2 && J(n2, n2);
        }), u3.__k = null), l3 = u3.__k ? S(u3, 0) : null), l3 = I(t3, w(A3) ? A3 : [A3], r3, u3, i3, f4, o4, e3, l3, c3, a4), M.__P && (r3.__e = null, l3 = s3), r3.__u &= -161, p3 && p3.some(g), d3.__h.length && e3.push(d3), 1 & d3.__g && (d3.__g &= -4);
      } catch (t4) {
        if (e3.length = v3, r3.__v = null, c3 || o4) if (t4 && t4.then) {
          if (r3.__u |= 128 | c3, o4) {
            for (~(T3 = o4.indexOf(l3 || void 0)) || (T3 = o4.length); (N2 = o4[T3 - 1]) && 8 == N2.nodeType; ) T3--;
            for (; T3 < o4.length; T3++) if (N2 = o4[T3]) if (o4[T3] = null, O) {
              if (N2 == P3) break;
            } else {
              if (8 != N2.nodeType) break;
              N2.data.startsWith("$s") && (P3 = B(O = N2));
            }
          }
          if (!O) {
            for (; l3 && 8 == l3.nodeType && l3.nextSibling; ) l3 = l3.nextSibling;
            O = l3;
          }
          (s3 = B(O = r3.__c.__z || (r3.__c.__z = O))) ? (r3.__e = O, l3 = s3) : r3.__e = l3, l3 = l3 && l3.nextSibling;
        } else o4 && o4.some(g);
        else r3.__e = u3.__e;
        r3.__k || (r3.__k = u3.__k || []), t4 && t4.then || D(r3), n.__e(t4, r3, u3);
      }
    } else l3 = r3.__e = F(u3.__e, r3, u3, i3, f4, o4, e3, c3, a4, t3);
    return (s3 = n.diffed) && s3(r3), l3;
  }
  function B(n2, t3) {
    if (n2 && 8 == n2.nodeType && n2.data.startsWith("$s")) for (var r3 = 1; n2 = n2.nextSibling; ) {
      if (8 == n2.nodeType) {
        if (n2.data.startsWith("$s")) r3++;
        else if (n2.data.startsWith("/$s") && !--r3) return n2;
      }
      t3 && t3.push(n2);
    }
  }
  function D(n2) {
    n2 && (n2.__c && (n2.__c.__g |= 4), n2.__k && n2.__k.some(D));
  }
  function E(t3, r3, u3) {
    for (var i3 = 0; i3 < u3.length; ) G(u3[i3++], u3[i3++], u3[i3++]);
    n.__c && n.__c(r3, t3), t3.some(function(r4) {
      try {
        t3 = r4.__h, r4.__h = [], t3.some(function(n2) {
          n2.call(r4);
        });
      } catch (t4) {
        n.__e(t4, r4.__v);
      }
    });
  }
  function F(t3, r3, u3, i3, f4, o4, e3, l3, c3, a4) {
    var s3, h3, y3, _3, k2, b, m3, M, $2 = u3.props || p, x2 = r3.props, C3 = r3.type;
    if ("svg" == C3 ? f4 = "http://www.w3.org/2000/svg" : "math" == C3 ? f4 = "http://www.w3.org/1998/Math/MathML" : f4 || (f4 = "http://www.w3.org/1999/xhtml"), o4) {
      for (s3 = 0; s3 < o4.length; s3++) if ((k2 = o4[s3]) && (C3 ? k2.localName == C3 : 3 == k2.nodeType)) {
        t3 = k2, o4[s3] = null;
        break;
      }
    }
    if (!t3) {
      if (M = a4.ownerDocument || document, !C3) return M.createTextNode(x2);
      t3 = M.createElementNS(f4, C3, x2.is ? x2 : a4), l3 && (n.__m && n.__m(r3, o4), l3 = false), o4 = null;
    }
    if (C3) {
      if (a4 = "template" == C3 && t3.content || t3, o4 = "textarea" == C3 && null != x2.defaultValue ? null : o4 && d.call(a4.childNodes), !l3 && o4) for ($2 = {}, s3 = 0; s3 < t3.attributes.length; s3++) $2[(k2 = t3.attributes[s3]).name] = k2.value;
      for (s3 in $2) k2 = $2[s3], "dangerouslySetInnerHTML" == s3 ? y3 = k2 : "children" == s3 || s3 in x2 || "value" == s3 && "defaultValue" in x2 || "checked" == s3 && "defaultChecked" in x2 || N(t3, s3, null, k2, f4);
      for (s3 in x2) k2 = x2[s3], "children" == s3 ? _3 = k2 : "dangerouslySetInnerHTML" == s3 ? h3 = k2 : "value" == s3 ? b = k2 : "checked" == s3 ? m3 = k2 : l3 && "function" != typeof k2 || $2[s3] === k2 || N(t3, s3, k2, $2[s3], f4);
      h3 ? (l3 || y3 && (h3.__html == y3.__html || h3.__html == t3.innerHTML) || (t3.innerHTML = h3.__html), r3.__k = []) : (y3 && (t3.textContent = ""), ("foreignObject" == C3 || "http://www.w3.org/1998/Math/MathML" == f4 && v.test(C3)) && (f4 = "http://www.w3.org/1999/xhtml"), I(a4, w(_3) ? _3 : [_3], r3, u3, i3, f4, o4, e3, o4 ? o4[0] : u3.__k && S(u3, 0), l3, c3), o4 && o4.some(g)), l3 && "textarea" != C3 || (s3 = "value", "progress" == C3 && null == b ? t3.removeAttribute(s3) : null == b || b === t3[s3] && ("progress" != C3 || b) || N(t3, s3, b, $2[s3], f4), s3 = "checked", null != m3 && m3 != t3[s3] && N(t3, s3, m3, $2[s3], f4));
    } else $2 === x2 || l3 && t3.data == x2 || (t3.data = x2);
    return t3;
  }
  function G(t3, r3, u3, i3) {
    try {
      "function" == typeof t3 ? r3 ? r3.__x = t3(r3) || 1 : i3 && (i3 = i3.__c || i3.__e) && (r3 = i3.__x) && (i3.__x = null, "function" == typeof r3 ? r3() : t3(null)) : t3.current = r3;
    } catch (t4) {
      n.__e(t4, u3);
    }
  }
  function J(t3, r3, u3) {
    var i3, f4, o4, e3;
    if (n.unmount && n.unmount(t3), !(i3 = t3.ref) || i3.current && i3.current != t3.__e || G(i3, null, r3, t3), i3 = t3.__c) {
      if (i3.componentWillUnmount) try {
        i3.componentWillUnmount();
      } catch (t4) {
        n.__e(t4, r3);
      }
      i3.__P = i3.__n = null;
    }
    if (i3 = t3.__k) for (e3 = 0; e3 < i3.length; e3++) i3[e3] && J(i3[e3], r3, "function" != typeof t3.type || u3 && !t3.props.__P);
    !u3 && (i3 = t3.__c) && (i3 = i3.__z) && (f4 = B(i3, o4 = [])) && (i3 == t3.__e && o4.some(g), g(f4), g(i3)), u3 || g(t3.__e), t3.__e = t3.__c = t3.__ = null;
  }
  function K(n2, t3, r3) {
    return this.constructor(n2, r3);
  }
  function Q(t3, r3) {
    var u3, i3, f4, o4;
    n.__ && n.__(t3, r3), 9 == r3.nodeType && (r3 = r3.documentElement), i3 = (u3 = t3 && 32 & t3.__u) ? null : r3.__k, r3.__k = m($, { children: [t3] }), f4 = [], o4 = [], z(r3, r3.__k, i3 || p, p, r3.namespaceURI, i3 ? null : r3.firstChild ? d.call(r3.childNodes) : null, f4, i3 ? i3.__e : r3.firstChild, u3, o4), E(f4, r3.__k, o4), r3.__k.props.children = null;
  }
  n = { __e: function(n2, t3, r3, u3) {
    for (var i3, o4, e3; t3 = t3.__; ) if ((i3 = t3.__c) && !(1 & i3.__g)) {
      i3.__g |= 4;
      try {
        if ((e3 = (o4 = i3.constructor) && o4.getDerivedStateFromError) && i3.setState(o4.getDerivedStateFromError(n2)), i3.componentDidCatch && (i3.componentDidCatch(n2, u3 || {}), e3 = 1), e3 && 8 & i3.__g) return void (i3.__g |= 2);
      } catch (t4) {
        n2 = t4;
      }
    }
    throw f = 0, n2;
  } }, t = 0, r = function(n2) {
    return null != n2 && n2.constructor === h;
  }, x.prototype.setState = function(n2, t3) {
    var r3 = this.__s;
    r3 && r3 != this.state || (r3 = this.__s = _({}, this.state)), "function" == typeof n2 && (n2 = n2(_({}, r3), this.props)), n2 && (_(r3, n2), this.__v && (t3 && this.__k.push(t3), L(this)));
  }, x.prototype.forceUpdate = function(n2) {
    this.__v && (this.__g |= 4, n2 && this.__h.push(n2), L(this));
  }, x.prototype.render = $, u = [], f = 0, o = function(n2, t3) {
    return n2.__v.__b - t3.__v.__b;
  }, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

  // node_modules/preact/hooks/dist/hooks.mjs
  var t2;
  var r2;
  var u2;
  var i2;
  var o2 = Object.is;
  var f2 = 0;
  var c2 = [];
  var e2 = [];
  var a2 = n;
  var v2 = a2.__b;
  var l2 = a2.__r;
  var m2 = a2.diffed;
  var h2 = a2.__c;
  var s2 = a2.unmount;
  var p2 = a2.__;
  function y2(n2, t3) {
    a2.__h && a2.__h(r2, n2, f2 || t3), f2 = 0;
    var u3 = r2.__H || (r2.__H = { __: [], __h: [] });
    return n2 >= u3.__.length && u3.__.push({}), u3.__[n2];
  }
  function d2(n2) {
    return f2 = 1, _2(G2, n2);
  }
  function _2(n2, u3, i3) {
    var f4 = y2(t2++, 2);
    if (f4.t = n2, !f4.__c && (f4.__ = [i3 ? i3(u3) : G2(void 0, u3), function(n3) {
      var t3 = (f4.__N || f4.__)[0], r3 = f4.t(t3, n3);
      o2(t3, r3) || (f4.__N = [r3, f4.__[1]], f4.__c.setState({}));
    }], f4.__c = r2, !r2.__f)) {
      r2.__f = true;
      var c3 = r2.shouldComponentUpdate;
      r2.shouldComponentUpdate = function(n3, t3, r3) {
        var u4 = this.__H;
        if (!u4) return true;
        var i4 = false, f5 = this.props != n3;
        if (u4.__.some(function(n4) {
          n4.__N && (i4 = true, o2(n4.__[0], n4.__N[0]) || (f5 = true));
        }), c3) {
          var e3 = c3.call(this, n3, t3, r3);
          return i4 ? e3 || f5 : e3;
        }
        return !i4 || f5;
      };
    }
    return f4.__;
  }
  function A2(n2, u3) {
    var i3 = y2(t2++, 3);
    !a2.__s && E2(i3.__H, u3) && (i3.__P = true, i3.__ = n2, i3.u = u3, r2.__H.__h.push(i3));
  }
  function F2(n2, u3) {
    var i3 = y2(t2++, 4);
    !a2.__s && E2(i3.__H, u3) && (i3.__P = false, i3.__ = n2, i3.u = u3, r2.__h.push(i3));
  }
  function T2(n2) {
    return f2 = 5, w2(function() {
      return { current: n2 };
    }, []);
  }
  function w2(n2, r3) {
    var u3 = y2(t2++, 7);
    return E2(u3.__H, r3) && (u3.__ = n2(), u3.__H = r3), u3.__;
  }
  function g2() {
    var n2;
    do {
      for (; n2 = e2.shift(); ) try {
        C2(n2);
      } catch (t4) {
        a2.__e(t4, { __: (n2 = n2.__P) && n2.__v });
      }
      for (; n2 = c2.shift(); ) {
        var t3 = n2.__H;
        if (n2.__P && t3) try {
          t3.__h.some(C2), t3.__h.some(D2), t3.__h = [];
        } catch (r3) {
          t3.__h = [], a2.__e(r3, n2.__v);
        }
      }
    } while (e2.length);
  }
  a2.__b = function(n2) {
    r2 = null, v2 && v2(n2);
  }, a2.__ = function(n2, t3) {
    n2 && t3.__k && t3.__k.__m && (n2.__m = t3.__k.__m), p2 && p2(n2, t3);
  }, a2.__r = function(n2) {
    l2 && l2(n2), t2 = 0;
    var i3 = (r2 = n2.__c).__H;
    i3 && (u2 == r2 ? r2.__h = [] : (i3.__h.some(C2), i3.__h.some(D2), t2 = 0), i3.__h = [], i3.__.some(function(n3) {
      n3.__N && (n3.__ = n3.__N), n3.u = n3.__N = void 0;
    })), u2 = r2;
  }, a2.diffed = function(n2) {
    m2 && m2(n2);
    var t3 = n2.__c;
    t3 && t3.__H && (t3.__H.__h.length && B2(c2.push(t3)), t3.__H.__.some(function(n3) {
      n3.u && (n3.__H = n3.u);
    })), u2 = r2 = null;
  }, a2.__c = function(n2, t3) {
    t3.some(function(n3) {
      try {
        n3.__h.some(C2), n3.__h = n3.__h.filter(function(n4) {
          return !n4.__ || D2(n4);
        });
      } catch (t4) {
        n3.__h = [function() {
          throw t4;
        }];
      }
    }), h2 && h2(n2, t3);
  }, a2.unmount = function(n2) {
    s2 && s2(n2);
    var t3, r3, u3 = n2.__c;
    u3 && u3.__H && (u3.__H.__.some(function(u4) {
      try {
        if (u4.__P && u4.__c) {
          if (void 0 === r3) {
            for (r3 = n2.__; r3 && (!r3.__c || !r3.__c.__P); ) r3 = r3.__;
            r3 = r3 && r3.__c;
          }
          u4.__P = r3, B2(e2.push(u4));
        } else C2(u4);
      } catch (n3) {
        t3 = n3;
      }
    }), u3.__H = void 0, t3 && a2.__e(t3, u3.__v));
  };
  var k = "function" == typeof requestAnimationFrame;
  function z2(n2) {
    var t3, r3 = function() {
      clearTimeout(u3), k && cancelAnimationFrame(t3), setTimeout(n2);
    }, u3 = setTimeout(r3, 35);
    k && (t3 = requestAnimationFrame(r3));
  }
  function B2(n2) {
    1 != n2 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
  }
  function C2(n2) {
    var t3 = r2, u3 = n2.__c;
    "function" == typeof u3 && (n2.__c = void 0, u3()), r2 = t3;
  }
  function D2(n2) {
    var t3 = r2;
    n2.__c = n2.__(), r2 = t3;
  }
  function E2(n2, t3) {
    return !n2 || n2.length != t3.length || t3.some(function(t4, r3) {
      return !o2(t4, n2[r3]);
    });
  }
  function G2(n2, t3) {
    return "function" == typeof t3 ? t3(n2) : t3;
  }

  // src/format.ts
  var minus = "\u2212";
  var thin = "\u202F";
  var seconds = { s: 1, sec: 1, seconds: 1, ms: 1e-3, us: 1e-6, "\xB5s": 1e-6, usec: 1e-6, ns: 1e-9, nsec: 1e-9 };
  var prefixes = [
    [1e18, "E"],
    [1e15, "P"],
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"]
  ];
  var isTime = (unit) => unit in seconds;
  function figures(v3, digits = 3) {
    if (v3 === 0) return "0";
    const a4 = Math.abs(v3);
    let s3;
    if (a4 >= 1e15 || a4 < 1e-4) s3 = a4.toExponential(digits - 1).replace("e+", "e");
    else s3 = a4.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(Number(a4.toPrecision(digits))))));
    return (v3 < 0 ? minus : "") + s3;
  }
  function value(v3, unit, sign = false) {
    if (v3 === null || v3 === void 0 || Number.isNaN(v3)) return "n/a";
    const text = isTime(unit) ? time(v3 * seconds[unit]) : quantity(v3, unit);
    return sign && v3 > 0 ? "+" + text : text;
  }
  function time(s3) {
    const a4 = Math.abs(s3);
    if (a4 === 0) return "0";
    if (a4 < 9995e-10) return figures(s3 * 1e9) + thin + "ns";
    if (a4 < 9995e-7) return figures(s3 * 1e6) + thin + "\xB5s";
    if (a4 < 0.9995) return figures(s3 * 1e3) + thin + "ms";
    if (a4 < 9999.5) return figures(s3, a4 < 999.5 ? 3 : 4) + thin + "s";
    if (a4 < 100 * 3600) return figures(s3 / 3600) + thin + "h";
    return figures(s3 / 86400) + thin + "d";
  }
  function quantity(v3, unit) {
    if (v3 === 0) return "0";
    const a4 = Math.abs(v3);
    if (unit === "bytes" || unit === "byte" || unit === "B") return scaled(v3) + (a4 < 999.5 ? thin : "") + "B";
    if (unit === "%" || unit === "percent") return figures(v3) + thin + "%";
    return scaled(v3);
  }
  function scaled(v3) {
    const a4 = Math.abs(v3);
    for (const [factor, prefix] of prefixes) {
      if (a4 >= factor * 0.9995) return factor === 1e3 && a4 < 9999.5 && Number.isInteger(v3) ? grouped(v3) : figures(v3 / factor) + thin + prefix;
    }
    return Number.isInteger(v3) ? (v3 < 0 ? minus : "") + a4 : figures(v3);
  }
  function percent(x2, sign = false) {
    if (x2 === null || x2 === void 0 || !Number.isFinite(x2)) return "n/a";
    const p3 = x2 * 100;
    const a4 = Math.abs(p3);
    const s3 = a4 === 0 ? "0" : a4 < 5e-3 ? "<0.01" : a4 < 9.995 ? a4.toFixed(2) : a4 < 99.95 ? a4.toFixed(1) : a4.toFixed(0);
    return (p3 < 0 ? minus : sign && p3 > 0 ? "+" : "") + s3;
  }
  function grouped(v3) {
    return (v3 < 0 ? minus : "") + String(Math.abs(v3)).replace(/\B(?=(\d{3})+(?!\d))/g, thin);
  }
  function exact(v3, unit) {
    if (v3 === null || v3 === void 0 || Number.isNaN(v3)) return "cannot be evaluated";
    const n2 = Number.isInteger(v3) && Math.abs(v3) < 1e15 ? grouped(v3) : String(v3).replace("-", minus);
    return unit && unit !== "occ" ? n2 + thin + unit : n2;
  }

  // node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
  var f3 = /* @__PURE__ */ Symbol.for("pv");
  var o3 = 0;
  function a3(t3, e3, n2, u3, a4, i3) {
    e3 || (e3 = {});
    var c3, l3, p3 = e3;
    if ("ref" in p3 && "function" != typeof t3) for (l3 in p3 = {}, e3) "ref" == l3 ? c3 = e3[l3] : p3[l3] = e3[l3];
    var s3 = { type: t3, props: p3, key: n2, ref: c3, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: f3, __v: --o3, __i: -1, __u: 0 };
    return (a4 || i3) && (s3.__source = a4, s3.__self = i3), n.vnode && n.vnode(s3), s3;
  }

  // src/icons.tsx
  var shapes = {
    chevron: "M6 4l4 4-4 4",
    search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
    close: "M4 4l8 8M12 4l-8 8",
    up: "M4 10l4-4 4 4",
    down: "M4 6l4 4 4-4",
    flame: "M8 1.8c.6 2.4 3.9 4 3.9 7.6A3.9 3.9 0 0 1 8 13.9a3.9 3.9 0 0 1-3.9-4.2c0-1.7.9-2.7 1.7-3.5.2 1 .7 1.6 1.3 1.8C6.8 5.6 7.2 3.6 8 1.8z",
    options: "M2.5 4.5h7M12.5 4.5h1M2.5 11.5h1M6.5 11.5h7M9.5 4.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0M3.5 11.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0",
    filter: "M2.5 3.5h11l-4.2 5v4l-2.6 1.2V8.5z",
    sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
    moon: "M13.2 9.7A5.6 5.6 0 0 1 6.3 2.8a5.6 5.6 0 1 0 6.9 6.9z",
    auto: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 2.5v11M8 5h3.8M8 8h5.4M8 11h3.8",
    warning: "M8 2.5l6 11H2zM8 6.5v3.2M8 11.4v.6",
    info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.2v4M8 4.8v.6",
    panel: "M2.5 3h11v10h-11zM2.5 9h11",
    help: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.3a1.8 1.8 0 1 1 2.7 1.5c-.6.4-.9.7-.9 1.4M8 11.3v.5"
  };
  function Icon({ name }) {
    return /* @__PURE__ */ a3("svg", { class: "icon", width: "16", height: "16", viewBox: "0 0 16 16", "aria-hidden": "true", children: /* @__PURE__ */ a3("path", { d: shapes[name], fill: "none", stroke: "currentColor", "stroke-width": "1.3", "stroke-linecap": "round", "stroke-linejoin": "round" }) });
  }

  // ../../../../../tmp/e/panels.tsx
  var P2 = (name) => () => /* @__PURE__ */ a3("div", { class: "empty", children: /* @__PURE__ */ a3("p", { children: name }) });
  var Findings = P2("Findings");
  var Timeline = P2("Timeline");
  var Efficiency = P2("Efficiency");
  var Details = P2("Details");
  var SystemPlot = P2("SystemPlot");
  var TopologyGrid = P2("TopologyGrid");

  // src/popover.tsx
  function Popover({ label, button, active, up, children, ...p3 }) {
    const [open, setOpen] = d2(false);
    const root2 = T2(null);
    A2(() => {
      if (!open) return;
      const outside = (e3) => root2.current?.contains(e3.target) || setOpen(false);
      document.addEventListener("pointerdown", outside);
      document.addEventListener("focusin", outside);
      return () => {
        document.removeEventListener("pointerdown", outside);
        document.removeEventListener("focusin", outside);
      };
    }, [open]);
    const onKeyDown = (e3) => {
      if (e3.key !== "Escape" || !open) return;
      e3.stopPropagation();
      setOpen(false);
      root2.current?.querySelector("button")?.focus();
    };
    return /* @__PURE__ */ a3("div", { class: "popover " + (p3.class ?? ""), ref: root2, onKeyDown, children: [
      /* @__PURE__ */ a3("button", { type: "button", class: active ? "active" : "", "aria-label": label, title: label, "aria-expanded": open, onClick: () => setOpen(!open), children: button }),
      open && /* @__PURE__ */ a3("div", { class: "panel" + (up ? " up" : ""), role: "dialog", "aria-label": label, children })
    ] });
  }

  // src/report.ts
  var Tree = class {
    constructor(parent) {
      this.parent = parent;
      const n2 = parent.length;
      this.level = new Int32Array(n2);
      this.first = new Int32Array(n2 + 1);
      for (let i3 = 0; i3 < n2; i3++) {
        const p3 = parent[i3];
        if (p3 < 0) this.roots.push(i3);
        else {
          this.level[i3] = this.level[p3] + 1;
          this.first[p3 + 1]++;
        }
      }
      for (let i3 = 0; i3 < n2; i3++) this.first[i3 + 1] += this.first[i3];
      const at2 = this.first.slice(0, n2);
      this.list = new Int32Array(this.first[n2]);
      for (let i3 = 0; i3 < n2; i3++) if (parent[i3] >= 0) this.list[at2[parent[i3]]++] = i3;
    }
    parent;
    roots = [];
    level;
    // roots: 0
    first;
    list;
    get size() {
      return this.parent.length;
    }
    children(node) {
      return this.list.subarray(this.first[node], this.first[node + 1]);
    }
    // inner are the nodes that can be opened, ascending.
    get inner() {
      return this.opened ??= Array.from({ length: this.size }, (_3, i3) => i3).filter((i3) => !this.isLeaf(i3));
    }
    opened;
    isLeaf(node) {
      return this.first[node] === this.first[node + 1];
    }
    root(node) {
      while (this.parent[node] >= 0) node = this.parent[node];
      return node;
    }
    // ancestors of a node, outermost first, without itself.
    ancestors(node) {
      const up = [];
      for (let p3 = this.parent[node]; p3 >= 0; p3 = this.parent[p3]) up.unshift(p3);
      return up;
    }
  };
  function toReport(meta) {
    const modules = /* @__PURE__ */ new Map();
    meta.regions.forEach((r3, i3) => {
      const name = r3.file;
      let m3 = modules.get(name);
      if (!m3) modules.set(name, m3 = { name, regions: [] });
      m3.regions.push(i3);
    });
    return {
      ...meta,
      metricTree: new Tree(meta.metrics.map((m3) => m3.parent)),
      pathTree: new Tree(meta.paths.parent),
      systemTree: new Tree(meta.system.parent),
      metricByName: new Map(meta.metrics.map((m3, i3) => [m3.name, i3])),
      modules: [...modules.values()].sort((a4, b) => a4.name === "" ? 1 : b.name === "" ? -1 : a4.name < b.name ? -1 : 1)
    };
  }
  var pathName = (r3, path) => r3.regions[r3.paths.region[path]]?.name ?? "?";
  var fullPath = (r3, path) => [...r3.pathTree.ancestors(path), path].map((p3) => pathName(r3, p3)).join(" \u203A ");
  var fullResource = (r3, resource) => [...r3.systemTree.ancestors(resource), resource].map((i3) => r3.system.name[i3]).join(" \u203A ");
  function callSite(r3, path) {
    const file = r3.paths.file[path];
    const line = r3.paths.line[path];
    if (file < 0) return "";
    return line > 0 ? `${r3.paths.files[file]}:${line}` : r3.paths.files[file];
  }

  // src/api.ts
  var requests = {
    meta: () => "api/meta",
    calls: (metric, self, at2 = -1) => `api/calls?metric=${metric}&self=${+self}` + (at2 < 0 ? "" : `&at=${at2}`),
    flat: (metric, self, at2 = -1) => `api/flat?metric=${metric}&self=${+self}` + (at2 < 0 ? "" : `&at=${at2}`),
    systemOfPath: (metric, self, path, incl) => `api/system?metric=${metric}&self=${+self}&path=${path}&incl=${+incl}`,
    systemOfRegion: (metric, self, region, incl) => `api/system?metric=${metric}&self=${+self}&region=${region}&incl=${+incl}`,
    stats: (metric) => `api/stats?metric=${metric}`,
    findings: () => "api/findings",
    causers: (metric, path) => `api/causers?metric=${metric}&path=${path}`,
    sourceOfPath: (path) => `api/source?path=${path}`,
    sourceOfRegion: (region) => `api/source?region=${region}`,
    timeline: (begin, end, resources) => `api/timeline?begin=${Math.round(begin)}&end=${Math.round(end)}&locations=${resources.join(",")}`
  };
  var kept = /* @__PURE__ */ new Map();
  var keep = 400;
  function ask(request) {
    let answer = kept.get(request);
    kept.delete(request);
    if (!answer) {
      answer = embedded().then((table2) => table2 ? lookUp(table2, request) : load(request));
      answer.catch(() => kept.delete(request));
      if (kept.size >= keep) kept.delete(kept.keys().next().value);
    }
    kept.set(request, answer);
    return answer;
  }
  async function load(request) {
    let response;
    try {
      response = await fetch(request);
    } catch {
      throw new Error("The server does not answer. Is expert view still running?");
    }
    const body = await response.json().catch(() => null);
    if (!response.ok) throw new Error(body?.error ?? `The server answers ${response.status} to ${request}`);
    return body;
  }
  var table;
  function embedded() {
    return table ??= unpack(document.getElementById("answers")?.textContent?.trim());
  }
  async function unpack(base64) {
    if (!base64) return null;
    const bytes = Uint8Array.from(atob(base64), (c3) => c3.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  }
  function lookUp(table2, request) {
    const answer = table2[request];
    if (answer === void 0) throw new Error("This file does not contain it; open the report with expert view.");
    if (answer && typeof answer === "object" && Object.keys(answer).join() === "error") throw new Error(answer.error);
    return answer;
  }

  // src/colour.ts
  var palettes = ["heat", "viridis", "grey"];
  var stops = {
    heat: {
      light: ["#fff4d6", "#fed98a", "#fba33f", "#ea6420", "#c22a20", "#7d0d2a"],
      dark: ["#33251a", "#6a3412", "#a84c0c", "#e07a1b", "#f8b04a", "#ffe7a3"]
    },
    viridis: {
      light: ["#eef6d0", "#a9dc67", "#3dba74", "#21908c", "#355f8d", "#440154"],
      dark: ["#2a1a3e", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"]
    },
    grey: {
      light: ["#eeeeee", "#cfcfcf", "#a6a6a6", "#787878", "#484848", "#141414"],
      dark: ["#2c2c2c", "#484848", "#6e6e6e", "#989898", "#c6c6c6", "#f7f7f7"]
    }
  };
  var less = {
    light: ["#e8f1fb", "#b3d3f2", "#6aa8e0", "#2f7ac0", "#0d4f92"],
    dark: ["#182838", "#1f4a75", "#2f75b5", "#5fa3e3", "#b5dafc"]
  };
  var more = {
    light: ["#fdf0e0", "#fbd0a0", "#f39d4e", "#d96d12", "#9c4400"],
    dark: ["#33240f", "#6b430f", "#a96412", "#e5922f", "#ffd598"]
  };
  var parse = (hex) => [1, 3, 5].map((i3) => parseInt(hex.slice(i3, i3 + 2), 16));
  var parsed = /* @__PURE__ */ new Map();
  function between(list, x2) {
    let colours = parsed.get(list);
    if (!colours) parsed.set(list, colours = list.map(parse));
    const at2 = Math.min(1, Math.max(0, x2)) * (colours.length - 1);
    const i3 = Math.min(colours.length - 2, Math.floor(at2));
    return colours[i3].map((c3, k2) => Math.round(c3 + (colours[i3 + 1][k2] - c3) * (at2 - i3)));
  }
  function rgb(x2, theme2, palette, signed) {
    if (signed) return between((x2 < 0 ? less : more)[theme2], Math.abs(x2));
    return between(stops[palette][theme2], x2);
  }
  function colour(x2, theme2, palette = "heat", signed = false) {
    if (x2 === 0 || Number.isNaN(x2)) return "transparent";
    return `rgb(${rgb(x2, theme2, palette, signed).join(" ")})`;
  }
  function ink(x2, theme2, palette = "heat", signed = false) {
    if (x2 === 0 || Number.isNaN(x2)) return theme2 === "dark" ? "#fff" : "#000";
    const [r3, g3, b] = rgb(x2, theme2, palette, signed).map((c3) => c3 <= 10 ? c3 / 3294 : ((c3 / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r3 + 0.7152 * g3 + 0.0722 * b > 0.179 ? "#000" : "#fff";
  }
  var bend = (x2) => Math.sqrt(x2);
  function position(v3, s3) {
    if (v3 === null || v3 === void 0 || Number.isNaN(v3)) return NaN;
    if (v3 === 0) return 0;
    if (s3.signed) return s3.max > 0 ? Math.sign(v3) * bend(Math.min(1, Math.abs(v3) / s3.max)) : NaN;
    if (v3 < s3.min || s3.max <= s3.min) return NaN;
    return Math.max(1e-6, bend(Math.min(1, (v3 - s3.min) / (s3.max - s3.min))));
  }
  function at(x2, s3) {
    return s3.signed ? Math.sign(x2) * x2 * x2 * s3.max : s3.min + x2 * x2 * (s3.max - s3.min);
  }
  function gradient(theme2, palette = "heat", signed = false) {
    const lists = signed ? [...less[theme2]].reverse().concat(more[theme2]) : stops[palette][theme2];
    return `linear-gradient(to right, ${lists.join(", ")})`;
  }

  // src/sets.ts
  var written = /* @__PURE__ */ new WeakMap();
  function encodeSet(set, all) {
    const known = written.get(set);
    if (known !== void 0) return known;
    const parts = [];
    let last = -1;
    for (let i3 = 0; i3 < all.length; i3++) {
      if (!set.has(all[i3])) continue;
      const first = i3;
      while (i3 + 1 < all.length && set.has(all[i3 + 1])) i3++;
      const distance = (first - last).toString(36);
      parts.push(i3 > first ? `${distance}-${(i3 - first + 1).toString(36)}` : distance);
      last = i3;
    }
    const text = parts.join(".");
    written.set(set, text);
    return text;
  }
  function decodeSet(text, all) {
    const set = /* @__PURE__ */ new Set();
    let last = -1;
    for (const part of text.split(".")) {
      const [distance = NaN, run = 1] = part.split("-").map((s3) => parseInt(s3, 36));
      if (!(distance > 0) || !(run > 0)) break;
      for (let i3 = last + distance; i3 < Math.min(last + distance + run, all.length); i3++) set.add(all[i3]);
      last += distance + run - 1;
    }
    return set;
  }

  // src/state.ts
  var modes = {
    metric: ["absolute", "ownRoot", "peer", "external"],
    call: ["absolute", "ownRoot", "metricRoot", "metricSelection", "peer", "external"],
    system: ["absolute", "ownRoot", "metricRoot", "metricSelection", "callRoot", "callSelection", "peer", "external"]
  };
  var report;
  var initial;
  var state;
  var listeners = /* @__PURE__ */ new Set();
  var getReport = () => report;
  var getState = () => state;
  async function start() {
    report = toReport(await ask(requests.meta()));
    initial = defaults(report);
    state = decode(location.hash);
    window.addEventListener("popstate", () => {
      state = decode(location.hash);
      lastPush = 0;
      listeners.forEach((f4) => f4());
    });
  }
  var coalesce = 1e3;
  var lastPush = 0;
  function setState(change) {
    const next = { ...state, ...change };
    const seldom = next.view !== state.view;
    state = next;
    const hash = encode(state);
    if (hash !== (location.hash || "#")) {
      const now = performance.now();
      if (seldom || now - lastPush > coalesce) history.pushState(null, "", hash);
      else history.replaceState(null, "", hash);
      lastPush = now;
    }
    listeners.forEach((f4) => f4());
  }
  function setColumn(name, change) {
    setState({ columns: { ...state.columns, [name]: { ...state.columns[name], ...change } } });
  }
  function useStore(part) {
    const [, render] = d2(0);
    const now = part(state);
    const shown = T2({ part, now });
    shown.current = { part, now };
    A2(() => {
      const look = () => {
        if (!Object.is(shown.current.part(state), shown.current.now)) render((n2) => n2 + 1);
      };
      look();
      listeners.add(look);
      return () => void listeners.delete(look);
    }, []);
    return now;
  }
  function selection(s3) {
    const self = s3.expanded.metric.has(s3.metric) && !report.metricTree.isLeaf(s3.metric);
    if (s3.call === "tree") {
      return { metric: s3.metric, self, path: s3.path, regions: [], incl: !s3.expanded.call.has(s3.path) || report.pathTree.isLeaf(s3.path) };
    }
    if (s3.call === "flat") return { metric: s3.metric, self, path: -1, regions: [s3.region], incl: s3.flatIncl };
    const regions = s3.region >= 0 ? [s3.region] : report.modules[s3.module].regions;
    return { metric: s3.metric, self, path: -1, regions, incl: false };
  }
  function useAnswer(request) {
    const [answer, set] = d2({ data: null, error: "", loading: request !== "", to: request });
    A2(() => {
      let current = true;
      if (request === "") {
        set({ data: null, error: "", loading: false, to: request });
        return;
      }
      ask(request).then(
        (data) => current && set({ data, error: "", loading: false, to: request }),
        (e3) => current && set({ data: null, error: e3.message, loading: false, to: request })
      );
      return () => void (current = false);
    }, [request]);
    return answer.to === request ? answer : { ...answer, loading: true };
  }
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function theme(s3 = state) {
    return s3.theme === "auto" ? dark.matches ? "dark" : "light" : s3.theme;
  }
  function useTheme() {
    const [, render] = d2(0);
    A2(() => {
      const again = () => render((n2) => n2 + 1);
      dark.addEventListener("change", again);
      return () => dark.removeEventListener("change", again);
    }, []);
    return theme({ ...state, theme: useStore((s3) => s3.theme) });
  }
  function column(mode) {
    return { mode, sort: "tree", hide: 0, search: "", scale: null };
  }
  function defaults(r3) {
    const down = (tree) => {
      const way = /* @__PURE__ */ new Set();
      let node = tree.roots.length === 1 ? tree.roots[0] : -1;
      while (node >= 0 && !tree.isLeaf(node)) {
        way.add(node);
        const below2 = tree.children(node);
        node = below2.length === 1 ? below2[0] : -1;
      }
      return way;
    };
    return {
      view: r3.features.findings ? "findings" : "trees",
      metric: 0,
      call: "tree",
      path: r3.pathTree.roots[0] ?? -1,
      region: 0,
      module: 0,
      flatIncl: false,
      at: -1,
      resource: -1,
      system: "tree",
      topology: 0,
      expanded: { metric: /* @__PURE__ */ new Set(), call: /* @__PURE__ */ new Set(), module: /* @__PURE__ */ new Set(), system: down(r3.systemTree) },
      columns: r3.difference ? { metric: column("absolute"), call: column("absolute"), system: column("absolute") } : { metric: column("ownRoot"), call: column("metricSelection"), system: column("callSelection") },
      widths: [1, 1.25, 1],
      front: "metric",
      details: true,
      height: 0.3,
      tab: "about",
      instance: -1,
      window: null,
      rows: [],
      theme: "auto",
      palette: "heat"
    };
  }
  var short = { metric: "m", call: "c", system: "s" };
  var trees = ["metric", "call", "module", "system"];
  function openable(k2) {
    if (k2 === "module") return report.modules.map((_3, i3) => i3);
    return { metric: report.metricTree, call: report.pathTree, system: report.systemTree }[k2].inner;
  }
  function encode(s3) {
    const q2 = new URLSearchParams();
    const put = (key, value2, usual) => value2 !== usual && q2.set(key, value2);
    const number = (key, n2, usual) => put(key, String(n2), String(usual));
    put("view", s3.view, initial.view);
    put("metric", report.metrics[s3.metric]?.name ?? "", report.metrics[initial.metric]?.name ?? "");
    put("call", s3.call, initial.call);
    number("path", s3.path, initial.path);
    number("region", s3.region, initial.region);
    number("module", s3.module, initial.module);
    put("flat", s3.flatIncl ? "incl" : "excl", "excl");
    number("at", s3.at, -1);
    number("resource", s3.resource, -1);
    put("system", s3.system, initial.system);
    number("topology", s3.topology, 0);
    for (const k2 of trees) put("x" + k2, encodeSet(s3.expanded[k2], openable(k2)), encodeSet(initial.expanded[k2], openable(k2)));
    for (const k2 of ["metric", "call", "system"]) {
      const c3 = s3.columns[k2];
      const d3 = initial.columns[k2];
      put(short[k2] + "mode", c3.mode, d3.mode);
      put(short[k2] + "sort", c3.sort, d3.sort);
      number(short[k2] + "hide", c3.hide, d3.hide);
      put(short[k2] + "find", c3.search, "");
      put(short[k2] + "scale", c3.scale?.join("_") ?? "", "");
    }
    put("widths", s3.widths.map((w3) => +w3.toFixed(3)).join("_"), initial.widths.join("_"));
    put("front", s3.front, initial.front);
    number("height", +s3.height.toFixed(3), initial.height);
    put("details", s3.details ? "1" : "0", "1");
    put("tab", s3.tab, initial.tab);
    number("instance", s3.instance, -1);
    put("window", s3.window?.map(Math.round).join("_") ?? "", "");
    put("rows", s3.rows.join("_"), "");
    put("theme", s3.theme, "auto");
    put("palette", s3.palette, "heat");
    return "#" + q2.toString();
  }
  function decode(hash) {
    const q2 = new URLSearchParams(hash.replace(/^#/, ""));
    const index = (key, usual, size2, least = -1) => {
      const text = q2.get(key);
      const n2 = Number(text);
      return text !== null && Number.isInteger(n2) && n2 >= least && n2 < size2 ? n2 : usual;
    };
    const oneOf = (key, all, usual) => {
      const text = q2.get(key);
      return all.includes(text) ? text : usual;
    };
    const numbers = (key) => q2.get(key) ? q2.get(key).split("_").map(Number) : [];
    const pair = (key) => {
      const [a4, b] = numbers(key);
      return a4 !== void 0 && b !== void 0 && b > a4 ? [a4, b] : null;
    };
    const col = (k2) => {
      const d4 = initial.columns[k2];
      const hide = Number(q2.get(short[k2] + "hide"));
      return {
        mode: oneOf(short[k2] + "mode", modes[k2], d4.mode),
        sort: oneOf(short[k2] + "sort", ["tree", "value", "name"], d4.sort),
        hide: hide > 0 && hide <= 100 ? hide : 0,
        search: q2.get(short[k2] + "find") ?? "",
        scale: pair(short[k2] + "scale")
      };
    };
    const d3 = initial;
    const r3 = report;
    const resources = r3.systemTree.size;
    const expanded = { ...d3.expanded };
    for (const k2 of trees) if (q2.has("x" + k2)) expanded[k2] = decodeSet(q2.get("x" + k2), openable(k2));
    const widths = numbers("widths").filter((w3) => w3 > 0);
    return {
      view: oneOf("view", ["findings", "trees", "timeline", "efficiency"], d3.view),
      metric: r3.metricByName.get(q2.get("metric") ?? "") ?? d3.metric,
      call: oneOf("call", ["tree", "flat", "module"], d3.call),
      path: index("path", d3.path, r3.pathTree.size, 0),
      region: index("region", d3.region, r3.regions.length),
      module: index("module", d3.module, r3.modules.length, 0),
      flatIncl: q2.get("flat") === "incl",
      at: index("at", -1, resources),
      resource: index("resource", -1, resources),
      system: oneOf("system", ["tree", "plot", "topology"], d3.system),
      topology: index("topology", 0, r3.topologies.length, 0),
      expanded,
      columns: { metric: col("metric"), call: col("call"), system: col("system") },
      widths: widths.length === 3 ? widths : d3.widths,
      front: oneOf("front", ["metric", "call", "system", "details"], d3.front),
      height: Math.min(0.8, Math.max(0.1, Number(q2.get("height")) || d3.height)),
      details: q2.get("details") !== "0",
      tab: oneOf("tab", ["about", "computation", "statistics", "source", "causers"], d3.tab),
      instance: index("instance", -1, Infinity),
      window: pair("window"),
      rows: numbers("rows").filter((i3) => Number.isInteger(i3) && i3 >= 0 && i3 < resources),
      theme: oneOf("theme", ["auto", "light", "dark"], "auto"),
      palette: oneOf("palette", palettes, "heat")
    };
  }

  // src/rows.ts
  function rowsOf(tree, expanded, order, keep2) {
    const rows = { nodes: [], position: [], siblings: [], depth: 0, left: 0 };
    const shown = (nodes) => {
      let list = Array.from(nodes);
      if (keep2) {
        const all = list.length;
        list = list.filter(keep2);
        rows.left += all - list.length;
      }
      return order ? list.sort(order) : list;
    };
    const stack = [{ list: shown(tree.roots), next: 0 }];
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top.next === top.list.length) {
        stack.pop();
        continue;
      }
      const node = top.list[top.next++];
      rows.nodes.push(node);
      rows.position.push(top.next);
      rows.siblings.push(top.list.length);
      rows.depth = Math.max(rows.depth, stack.length - 1);
      if (expanded.has(node) && !tree.isLeaf(node)) stack.push({ list: shown(tree.children(node)), next: 0 });
    }
    return rows;
  }
  var size = (v3) => v3 == null || Number.isNaN(v3) ? 0 : Math.abs(v3);
  function weights(tree, incl, excl) {
    const w3 = new Float64Array(tree.size);
    for (let i3 = tree.size - 1; i3 >= 0; i3--) {
      w3[i3] = Math.max(w3[i3], size(incl[i3]), size(excl[i3]));
      const p3 = tree.parent[i3];
      if (p3 >= 0) w3[p3] = Math.max(w3[p3], w3[i3]);
    }
    return w3;
  }
  function hottest(tree, from, weight, excl) {
    const way = [from];
    for (let node = from; !tree.isLeaf(node); ) {
      let best = -1;
      for (const c3 of tree.children(node)) if (best < 0 || weight[c3] > weight[best]) best = c3;
      if (weight[best] === 0 || weight[best] < size(excl[node])) break;
      way.push(node = best);
    }
    return way;
  }
  function below(tree, node) {
    const list = [node];
    for (let i3 = 0; i3 < list.length; i3++) for (const c3 of tree.children(list[i3])) list.push(c3);
    return list;
  }

  // src/treeview.tsx
  var rowHeight = 24;
  var beyond = 8;
  function TreeView(p3) {
    const { tree, rows, selected, expanded } = p3;
    const box = T2(null);
    const [top, setTop] = d2(0);
    const [{ width, height }, setSize] = d2({ width: 400, height: 600 });
    const typed = T2({ text: "", at: 0 });
    const places = w2(() => new Map(rows.nodes.map((node, i3) => [node, i3])), [rows]);
    const place = places.get(selected) ?? -1;
    F2(() => {
      const measure = () => {
        const { clientWidth, clientHeight } = box.current;
        setSize((s3) => s3.width === clientWidth && s3.height === clientHeight ? s3 : { width: clientWidth, height: clientHeight });
      };
      measure();
      const observer = new ResizeObserver(measure);
      observer.observe(box.current);
      return () => observer.disconnect();
    }, []);
    const seen = place >= 0 && height > 0;
    F2(() => {
      if (!seen) return;
      const b = box.current;
      const y3 = place * rowHeight;
      if (y3 < b.scrollTop) b.scrollTop = Math.max(0, y3 - rowHeight);
      else if (y3 + rowHeight > b.scrollTop + b.clientHeight) b.scrollTop = y3 + 2 * rowHeight - b.clientHeight;
      setTop(b.scrollTop);
    }, [selected, seen]);
    const toggle = (node, deep = false) => {
      if (tree.isLeaf(node)) return;
      const set = new Set(expanded);
      const open = !set.has(node);
      for (const n2 of deep ? below(tree, node) : [node]) {
        if (!open) set.delete(n2);
        else if (!tree.isLeaf(n2)) set.add(n2);
      }
      p3.expand(set, !open && tree.ancestors(selected).includes(node) ? node : selected);
    };
    const onKeyDown = (e3) => {
      if (e3.ctrlKey || e3.metaKey || e3.altKey || rows.nodes.length === 0) return;
      const go = (i3) => p3.select(rows.nodes[Math.min(rows.nodes.length - 1, Math.max(0, i3))]);
      const page = Math.max(1, Math.floor(height / rowHeight) - 1);
      const open = expanded.has(selected) && !tree.isLeaf(selected);
      switch (e3.key) {
        case "ArrowDown":
          go(place + 1);
          break;
        case "ArrowUp":
          go(place < 0 ? 0 : place - 1);
          break;
        case "PageDown":
          go(place + page);
          break;
        case "PageUp":
          go(place - page);
          break;
        case "Home":
          go(0);
          break;
        case "End":
          go(rows.nodes.length - 1);
          break;
        case "ArrowRight":
          if (e3.shiftKey || !open) open && e3.shiftKey ? p3.expand(/* @__PURE__ */ new Set([...expanded, ...below(tree, selected).filter((n2) => !tree.isLeaf(n2))]), selected) : toggle(selected, e3.shiftKey);
          else if (places.has(rows.nodes[place + 1]) && tree.parent[rows.nodes[place + 1]] === selected) go(place + 1);
          break;
        case "ArrowLeft":
          if (open) toggle(selected, e3.shiftKey);
          else if (tree.parent[selected] >= 0) p3.select(tree.parent[selected]);
          break;
        case "Enter":
        case " ":
          if (typed.current.text && e3.key === " " && recent(typed.current.at)) return typeAhead(" ", e3);
          toggle(selected, e3.shiftKey);
          break;
        case "*": {
          const up = tree.parent[selected] ?? -1;
          const siblings = up < 0 ? tree.roots : Array.from(tree.children(up));
          p3.expand(/* @__PURE__ */ new Set([...expanded, ...siblings.filter((n2) => !tree.isLeaf(n2))]), selected);
          break;
        }
        case ".":
          p3.hottest();
          break;
        default:
          if (e3.key.length !== 1 || "/?[]".includes(e3.key)) return;
          return typeAhead(e3.key, e3);
      }
      e3.preventDefault();
      e3.stopPropagation();
    };
    const typeAhead = (key, e3) => {
      e3.preventDefault();
      e3.stopPropagation();
      const t3 = typed.current;
      t3.text = (recent(t3.at) ? t3.text : "") + key.toLowerCase();
      t3.at = performance.now();
      const from = t3.text.length === 1 ? place + 1 : Math.max(0, place);
      for (let i3 = 0; i3 < rows.nodes.length; i3++) {
        const node = rows.nodes[(from + i3) % rows.nodes.length];
        if (p3.name(node).toLowerCase().startsWith(t3.text)) return p3.select(node);
      }
    };
    const nodeAt = (e3) => {
      const row = e3.target.closest("[data-node]");
      return row ? Number(row.dataset.node) : -1;
    };
    const onClick = (e3) => {
      const node = nodeAt(e3);
      if (node < 0) return;
      if (e3.target.closest(".twist")) toggle(node, e3.shiftKey || e3.altKey);
      else p3.select(node);
    };
    const onDblClick = (e3) => {
      const node = nodeAt(e3);
      if (node >= 0 && !e3.target.closest(".twist")) toggle(node, e3.shiftKey || e3.altKey);
    };
    const first = Math.max(0, Math.floor(top / rowHeight) - beyond);
    const last = Math.min(rows.nodes.length, Math.ceil((top + height) / rowHeight) + beyond);
    const step = Math.min(14, Math.max(2, width * 0.4 / Math.max(1, rows.depth)));
    const drawn = [];
    for (let i3 = first; i3 < last; i3++) drawn.push(i3);
    return /* @__PURE__ */ a3(
      "div",
      {
        ref: box,
        id: p3.id,
        class: "tree",
        role: "tree",
        tabIndex: 0,
        "aria-label": p3.label,
        "aria-activedescendant": place >= first && place < last ? `${p3.id}-${selected}` : void 0,
        onScroll: (e3) => setTop(e3.currentTarget.scrollTop),
        onKeyDown,
        onClick,
        onDblClick,
        children: /* @__PURE__ */ a3("div", { class: "all", role: "presentation", style: { height: rows.nodes.length * rowHeight + "px" }, children: drawn.map((i3) => {
          const node = rows.nodes[i3];
          const cells = p3.cells(node);
          const leaf = tree.isLeaf(node);
          const level = tree.level[node];
          return /* @__PURE__ */ a3(
            "div",
            {
              id: `${p3.id}-${node}`,
              class: "row" + (cells.quiet ? " quiet" : ""),
              role: "treeitem",
              "data-node": node,
              title: cells.title,
              "aria-level": level + 1,
              "aria-posinset": rows.position[i3],
              "aria-setsize": rows.siblings[i3],
              "aria-selected": node === selected,
              "aria-expanded": leaf ? void 0 : expanded.has(node),
              style: { top: i3 * rowHeight + "px" },
              children: [
                cells.values,
                /* @__PURE__ */ a3("span", { class: "name", style: { paddingLeft: level * step + "px" }, children: [
                  /* @__PURE__ */ a3("span", { class: "twist" + (leaf ? " none" : ""), "aria-hidden": "true", children: !leaf && /* @__PURE__ */ a3(Icon, { name: "chevron" }) }),
                  /* @__PURE__ */ a3("span", { class: "text", children: cells.name })
                ] }),
                cells.after
              ]
            },
            node
          );
        }) })
      }
    );
  }
  var recent = (time2) => performance.now() - time2 < 700;

  // src/column.tsx
  var modeTitle = {
    absolute: "Absolute",
    ownRoot: "Own root %",
    metricRoot: "Metric root %",
    metricSelection: "Metric selection %",
    callRoot: "Call root %",
    callSelection: "Call selection %",
    peer: "Peer %",
    external: "External %"
  };
  var sortTitle = { tree: "Tree order", value: "By value", name: "By name" };
  function ColumnView({ c: c3, views, tools, notes, body }) {
    const settings = useStore((s3) => s3.columns[c3.name]);
    const shown = useShown(c3);
    const found = useSearch(c3, settings.search, shown.order);
    const [searching, setSearching] = d2(settings.search !== "");
    const open = searching || settings.search !== "";
    const field = T2(null);
    const onKeyDown = (e3) => {
      if (e3.key !== "/" || e3.target.matches("input, select")) return;
      e3.preventDefault();
      e3.stopPropagation();
      setSearching(true);
      requestAnimationFrame(() => field.current?.select());
    };
    const closeSearch = () => {
      setSearching(false);
      setColumn(c3.name, { search: "" });
      document.getElementById(c3.name)?.focus();
    };
    const goHottest = () => {
      const { tree } = c3;
      if (!c3.excl || tree.size === 0) return;
      const w3 = shown.weight;
      const from = c3.selected >= 0 ? c3.selected : tree.roots.reduce((best, r3) => w3[r3] > w3[best] ? r3 : best);
      const way = hottest(tree, from, w3, c3.excl);
      const end = way[way.length - 1];
      c3.expand(/* @__PURE__ */ new Set([...c3.expanded, ...tree.ancestors(from), ...way.filter((n2) => !tree.isLeaf(n2) && (n2 !== end || w3[n2] > 0))]), end);
    };
    const problem = c3.failure || c3.error;
    const ready = !problem && c3.incl !== null;
    return /* @__PURE__ */ a3("section", { class: "column " + c3.name + (c3.loading ? " loading" : ""), "aria-label": c3.title, "data-column": c3.name, onKeyDown, children: [
      /* @__PURE__ */ a3("header", { class: "bar", children: [
        /* @__PURE__ */ a3("h2", { children: c3.title }),
        views,
        /* @__PURE__ */ a3("span", { class: "space" }),
        tools,
        /* @__PURE__ */ a3("button", { type: "button", class: open ? "active" : "", title: "Search (/)", "aria-label": `Search in ${c3.title}`, onClick: () => open ? closeSearch() : (setSearching(true), requestAnimationFrame(() => field.current?.focus())), children: /* @__PURE__ */ a3(Icon, { name: "search" }) }),
        /* @__PURE__ */ a3("button", { type: "button", title: "Open the hottest path from the selection (.)", "aria-label": `Open the hottest path in ${c3.title}`, onClick: goHottest, disabled: !ready, children: /* @__PURE__ */ a3(Icon, { name: "flame" }) }),
        /* @__PURE__ */ a3(Options, { c: c3 })
      ] }),
      /* @__PURE__ */ a3("div", { class: "bar how", children: [
        /* @__PURE__ */ a3("select", { "aria-label": `Values in ${c3.title}`, value: shown.mode, onChange: (e3) => setColumn(c3.name, { mode: e3.currentTarget.value, scale: null }), children: modes[c3.name].map((m3) => /* @__PURE__ */ a3("option", { value: m3, disabled: !c3.available(m3), children: modeTitle[m3] }, m3)) }),
        /* @__PURE__ */ a3("span", { class: "space" }),
        shown.rows.left > 0 && /* @__PURE__ */ a3("button", { type: "button", class: "chip", title: "Small values are hidden; show all", onClick: () => setColumn(c3.name, { hide: 0 }), children: [
          `< ${settings.hide} % hidden`,
          /* @__PURE__ */ a3(Icon, { name: "close" })
        ] }),
        /* @__PURE__ */ a3("select", { "aria-label": `Order of ${c3.title}`, value: settings.sort, onChange: (e3) => setColumn(c3.name, { sort: e3.currentTarget.value }), children: Object.keys(sortTitle).map((s3) => /* @__PURE__ */ a3("option", { value: s3, children: sortTitle[s3] }, s3)) })
      ] }),
      notes,
      open && /* @__PURE__ */ a3(SearchBar, { c: c3, field, text: settings.search, found, close: closeSearch }),
      /* @__PURE__ */ a3("div", { class: "content", children: [
        problem ? /* @__PURE__ */ a3("div", { class: "empty", role: "status", children: [
          /* @__PURE__ */ a3(Icon, { name: "warning" }),
          /* @__PURE__ */ a3("strong", { children: c3.failure ? "No answer" : "Cannot be evaluated" }),
          /* @__PURE__ */ a3("p", { children: problem })
        ] }) : body ?? /* @__PURE__ */ a3(
          TreeView,
          {
            id: c3.name,
            label: c3.title,
            tree: c3.tree,
            rows: shown.rows,
            selected: c3.selected,
            expanded: c3.expanded,
            name: c3.label,
            cells: (node) => cellsOf(c3, shown, found, node),
            select: c3.select,
            expand: c3.expand,
            hottest: goHottest
          }
        ),
        ready && !body && shown.rows.nodes.length === 0 && /* @__PURE__ */ a3("div", { class: "empty", role: "status", children: /* @__PURE__ */ a3("p", { children: shown.rows.left > 0 ? "All values are smaller than the limit." : "There is nothing here." }) })
      ] }),
      /* @__PURE__ */ a3(Legend, { c: c3, shown })
    ] });
  }
  var none = [];
  function useShown(c3) {
    const settings = useStore((s3) => s3.columns[c3.name]);
    const palette = useStore((s3) => s3.palette);
    const theme2 = useTheme();
    const signed = getReport().difference;
    const { tree, expanded } = c3;
    const incl = c3.incl ?? none;
    const excl = c3.excl ?? none;
    const mode = c3.available(settings.mode) ? settings.mode : "absolute";
    const weight = w2(() => weights(tree, incl, excl), [tree, incl, excl]);
    const order = w2(() => {
      if (settings.sort === "name") return (a4, b) => compareNames(c3.label(a4), c3.label(b)) || a4 - b;
      if (settings.sort === "value") return (a4, b) => sortKey(incl[b], signed) - sortKey(incl[a4], signed) || a4 - b;
      return null;
    }, [settings.sort, tree, settings.sort === "value" ? incl : null]);
    const keep2 = w2(() => {
      if (settings.hide <= 0 || !c3.incl) return null;
      const roots = tree.parent.length ? tree.roots.reduce((m3, r3) => Math.max(m3, weight[r3]), 0) : 0;
      return (node) => c3.mixed && incl[node] === null || weight[node] >= settings.hide / 100 * (c3.mixed ? weight[tree.root(node)] : roots);
    }, [settings.hide, weight]);
    const rows = w2(() => rowsOf(tree, expanded, order, keep2), [tree, expanded, order, keep2]);
    const scale = w2(() => scaleOf(c3, mode, settings.scale, signed, weight), [incl, mode, settings.scale, weight, c3.whole]);
    return { mode, rows, order, weight, scale, signed, theme: theme2, palette };
  }
  var collator = new Intl.Collator("en", { numeric: true });
  var compareNames = (a4, b) => collator.compare(a4, b);
  var sortKey = (v3, signed) => v3 == null || Number.isNaN(v3) ? -Infinity : signed ? Math.abs(v3) : v3;
  var colourMode = (c3, mode) => c3.mixed ? "ownRoot" : mode;
  var colourWhole = (c3, node, mode, signed, weight) => c3.mixed && signed ? weight[c3.tree.root(node)] : c3.whole(node, mode);
  function scaleOf(c3, mode, own, signed, weight) {
    if (own) return signed ? { min: -own[1], max: own[1], signed } : { min: own[0], max: own[1], signed };
    const m3 = colourMode(c3, mode);
    const share = m3 !== "absolute" && c3.tree.roots.some((r3) => c3.additive(r3));
    if (share && !signed) return { min: 0, max: 1, signed };
    let max = 0;
    for (let i3 = 0; i3 < c3.tree.size; i3++) {
      const whole = share ? Math.abs(colourWhole(c3, i3, m3, signed, weight) ?? 0) : 1;
      if (whole > 0) max = Math.max(max, weight[i3] / whole);
    }
    return { min: signed ? -max : 0, max, signed };
  }
  function numberOf(c3, node) {
    const open = c3.expanded.has(node) && !c3.tree.isLeaf(node);
    return (open ? c3.excl : c3.incl)?.[node];
  }
  function shareOf(c3, node, v3, mode, whole = c3.whole(node, mode)) {
    if (mode === "absolute" || !c3.additive(node)) return null;
    if (whole === null || Number.isNaN(whole)) return NaN;
    return whole === 0 ? v3 === 0 ? 0 : NaN : v3 / Math.abs(whole);
  }
  function cellsOf(c3, s3, found, node) {
    const v3 = numberOf(c3, node);
    const unit = c3.unit(node);
    const problem = c3.problem?.(node) ?? "";
    const open = c3.expanded.has(node) && !c3.tree.isLeaf(node);
    let text = "";
    let absolute = "";
    let place = 0;
    let noisy = "";
    if (v3 === null || Number.isNaN(v3)) text = "n/a";
    else if (v3 !== void 0) {
      const share = shareOf(c3, node, v3, s3.mode);
      absolute = value(v3, unit, s3.signed);
      text = share === null ? absolute : Number.isNaN(share) ? "\u2013" : percent(share, s3.signed) + "%";
      if (share === null || v3 === 0) absolute = "";
      const m3 = colourMode(c3, s3.mode);
      const scaled2 = shareOf(c3, node, v3, m3, colourWhole(c3, node, m3, s3.signed, s3.weight));
      place = scaled2 === null && c3.mixed ? 0 : position(scaled2 ?? v3, s3.scale);
      const band = (open ? c3.noise?.excl : c3.noise?.incl)?.[node];
      if (s3.signed && band != null && v3 !== 0 && Math.abs(v3) <= band) noisy = `within the noise of the runs, \xB1 ${value(band, unit)}`;
    }
    const title = [
      c3.label(node) + (c3.remark?.(node) ? "  " + c3.remark(node) : ""),
      v3 === void 0 ? "" : `${exact(v3, unit)}${c3.tree.isLeaf(node) ? "" : open ? " itself, without what is below" : " with what is below"}`,
      problem ? "Cannot be evaluated: " + problem : noisy,
      c3.hint?.(node) ?? ""
    ];
    return {
      title: title.filter(Boolean).join("\n"),
      quiet: v3 === 0 || v3 === void 0,
      values: /* @__PURE__ */ a3($, { children: [
        v3 === void 0 ? /* @__PURE__ */ a3("span", { class: "value-box blank" }) : /* @__PURE__ */ a3(ValueBox, { v: v3, place, s: s3 }),
        /* @__PURE__ */ a3("span", { class: "number" + (s3.signed ? " wider" : s3.mode === "absolute" ? " wide" : "") + (text === "n/a" ? " missing" : ""), children: [
          noisy ? /* @__PURE__ */ a3("span", { class: "noise", "aria-label": noisy, children: "\u2248 " }) : null,
          text
        ] })
      ] }),
      name: /* @__PURE__ */ a3($, { children: [
        problem && /* @__PURE__ */ a3("span", { class: "problem", children: /* @__PURE__ */ a3(Icon, { name: "warning" }) }),
        marked(c3.label(node), found.expression),
        c3.remark?.(node) ? /* @__PURE__ */ a3("span", { class: "remark", children: c3.remark(node) }) : null
      ] }),
      after: absolute ? /* @__PURE__ */ a3("span", { class: "absolute", "aria-hidden": "true", children: absolute }) : null
    };
  }
  function ValueBox({ v: v3, place, s: s3 }) {
    if (v3 === null || Number.isNaN(v3)) return /* @__PURE__ */ a3("span", { class: "value-box missing", "aria-hidden": "true" });
    if (Number.isNaN(place)) return /* @__PURE__ */ a3("span", { class: "value-box outside", "aria-hidden": "true" });
    const style = { background: colour(place, s3.theme, s3.palette, s3.signed), color: ink(place, s3.theme, s3.palette, s3.signed) };
    if (s3.signed && v3 !== 0 && place === 0) return /* @__PURE__ */ a3("span", { class: "value-box", "aria-hidden": "true", children: v3 > 0 ? "+" : "\u2212" });
    if (!s3.signed || v3 === 0) return /* @__PURE__ */ a3("span", { class: "value-box", style, "aria-hidden": "true" });
    return /* @__PURE__ */ a3("span", { class: "value-box " + (v3 > 0 ? "raised" : "sunken"), style, "aria-hidden": "true", children: v3 > 0 ? "+" : "\u2212" });
  }
  function marked(text, expression) {
    const m3 = expression?.exec(text);
    if (!m3 || m3[0] === "") return text;
    return [text.slice(0, m3.index), /* @__PURE__ */ a3("mark", { children: m3[0] }), text.slice(m3.index + m3[0].length)];
  }
  function useSearch(c3, text, order) {
    return w2(() => {
      if (text === "") return { expression: null, error: "", nodes: [] };
      let expression;
      try {
        expression = new RegExp(text, "i");
      } catch (e3) {
        return { expression: null, error: e3.message.replace(/^Invalid regular expression: /, ""), nodes: [] };
      }
      const known = /* @__PURE__ */ new Map();
      const hit = new Uint8Array(c3.tree.size);
      let any = false;
      for (let i3 = 0; i3 < c3.tree.size; i3++) {
        const name = c3.label(i3);
        let h3 = known.get(name);
        if (h3 === void 0) known.set(name, h3 = expression.test(name));
        if (h3) any = !!(hit[i3] = 1);
      }
      const all = { has: () => true };
      return { expression, error: "", nodes: any ? rowsOf(c3.tree, all, order, null).nodes.filter((n2) => hit[n2]) : [] };
    }, [c3.tree, text, order]);
  }
  function SearchBar({ c: c3, field, text, found, close }) {
    const at2 = found.nodes.indexOf(c3.selected);
    const go = (step) => {
      const n2 = found.nodes.length;
      if (n2 === 0) return;
      const node = found.nodes[at2 < 0 ? step > 0 ? 0 : n2 - 1 : (at2 + step + n2) % n2];
      c3.expand(/* @__PURE__ */ new Set([...c3.expanded, ...c3.tree.ancestors(node)]), node);
    };
    const onKeyDown = (e3) => {
      if (e3.key === "Enter") go(e3.shiftKey ? -1 : 1);
      else if (e3.key === "Escape") close();
      else return;
      e3.preventDefault();
      e3.stopPropagation();
    };
    A2(() => {
      if (text === "") field.current?.focus();
    }, []);
    const count = found.error ? "invalid" : text === "" ? "" : found.nodes.length === 0 ? "none" : at2 < 0 ? String(found.nodes.length) : `${at2 + 1} of ${found.nodes.length}`;
    return /* @__PURE__ */ a3("div", { class: "bar search", role: "search", children: [
      /* @__PURE__ */ a3(Icon, { name: "search" }),
      /* @__PURE__ */ a3(
        "input",
        {
          ref: field,
          type: "text",
          placeholder: "Regular expression",
          spellcheck: false,
          autocomplete: "off",
          "aria-label": `Search expression for ${c3.title}`,
          "aria-invalid": found.error !== "",
          title: found.error,
          value: text,
          onInput: (e3) => setColumn(c3.name, { search: e3.currentTarget.value }),
          onKeyDown
        }
      ),
      /* @__PURE__ */ a3("output", { class: found.error ? "bad" : "", title: found.error, children: count }),
      /* @__PURE__ */ a3("button", { type: "button", "aria-label": "Previous match", title: "Previous match (Shift+Enter)", disabled: found.nodes.length === 0, onClick: () => go(-1), children: /* @__PURE__ */ a3(Icon, { name: "up" }) }),
      /* @__PURE__ */ a3("button", { type: "button", "aria-label": "Next match", title: "Next match (Enter)", disabled: found.nodes.length === 0, onClick: () => go(1), children: /* @__PURE__ */ a3(Icon, { name: "down" }) }),
      /* @__PURE__ */ a3("button", { type: "button", "aria-label": "Close search", title: "Close (Esc)", onClick: close, children: /* @__PURE__ */ a3(Icon, { name: "close" }) })
    ] });
  }
  function Options({ c: c3 }) {
    const settings = useStore((s3) => s3.columns[c3.name]);
    const all = () => c3.expand(new Set(c3.tree.inner), c3.selected);
    return /* @__PURE__ */ a3(Popover, { label: `Options of ${c3.title}`, button: /* @__PURE__ */ a3(Icon, { name: "options" }), active: settings.hide > 0, children: [
      /* @__PURE__ */ a3("label", { class: "field", children: [
        /* @__PURE__ */ a3("span", { children: "Hide below" }),
        /* @__PURE__ */ a3("span", { class: "with-unit", children: [
          /* @__PURE__ */ a3("input", { type: "number", min: "0", max: "100", step: "any", value: settings.hide || "", placeholder: "0", onInput: (e3) => setColumn(c3.name, { hide: Math.min(100, Math.max(0, Number(e3.currentTarget.value) || 0)) }) }),
          /* @__PURE__ */ a3("span", { children: "% of the root" })
        ] })
      ] }),
      /* @__PURE__ */ a3("div", { class: "buttons", children: [
        /* @__PURE__ */ a3("button", { type: "button", class: "text", onClick: all, children: "Expand all" }),
        /* @__PURE__ */ a3("button", { type: "button", class: "text", onClick: () => c3.expand(/* @__PURE__ */ new Set(), c3.selected >= 0 ? c3.tree.root(c3.selected) : -1), children: "Collapse all" })
      ] })
    ] });
  }
  function Legend({ c: c3, shown }) {
    const { scale, signed, theme: theme2, palette } = shown;
    const own = useStore((s3) => s3.columns[c3.name].scale);
    const m3 = colourMode(c3, shown.mode);
    const share = m3 !== "absolute" && c3.tree.roots.some((r3) => c3.additive(r3));
    const unit = c3.tree.roots.length ? c3.unit(c3.tree.roots[0]) : "";
    const text = (v3) => share ? percent(v3, signed).replace(/\.0+$/, "") + "%" : value(v3, unit, signed);
    const factor = share ? 100 : 1;
    const set = (which, x2) => {
      const next = signed ? [0, scale.max] : [scale.min, scale.max];
      next[which] = x2 / factor;
      if (Number.isFinite(x2) && next[1] > next[0]) setColumn(c3.name, { scale: next });
    };
    const number = (v3) => Number((v3 * factor).toPrecision(6));
    return /* @__PURE__ */ a3("footer", { class: "bar legend", children: [
      /* @__PURE__ */ a3("span", { children: text(scale.min) }),
      /* @__PURE__ */ a3("span", { class: "ramp", style: { backgroundImage: gradient(theme2, palette, signed) }, title: `Middle of the scale: ${text(signed ? 0 : at(0.5, scale))}` }),
      /* @__PURE__ */ a3("span", { children: text(scale.max) }),
      /* @__PURE__ */ a3(Popover, { label: `Colour scale of ${c3.title}`, button: "Scale", class: "scale", active: own !== null, up: true, children: [
        !signed && /* @__PURE__ */ a3("label", { class: "field", children: [
          /* @__PURE__ */ a3("span", { children: "From" }),
          /* @__PURE__ */ a3("span", { class: "with-unit", children: [
            /* @__PURE__ */ a3("input", { type: "number", step: "any", value: number(scale.min), onChange: (e3) => set(0, e3.currentTarget.valueAsNumber) }),
            /* @__PURE__ */ a3("span", { children: share ? "%" : unit })
          ] })
        ] }),
        /* @__PURE__ */ a3("label", { class: "field", children: [
          /* @__PURE__ */ a3("span", { children: signed ? "To \xB1" : "To" }),
          /* @__PURE__ */ a3("span", { class: "with-unit", children: [
            /* @__PURE__ */ a3("input", { type: "number", step: "any", value: number(scale.max), onChange: (e3) => set(1, e3.currentTarget.valueAsNumber) }),
            /* @__PURE__ */ a3("span", { children: share ? "%" : unit })
          ] })
        ] }),
        !signed && /* @__PURE__ */ a3("label", { class: "field", children: [
          /* @__PURE__ */ a3("span", { children: "Colours" }),
          /* @__PURE__ */ a3("select", { value: palette, onChange: (e3) => setState({ palette: e3.currentTarget.value }), children: palettes.map((p3) => /* @__PURE__ */ a3("option", { value: p3, children: p3[0].toUpperCase() + p3.slice(1) }, p3)) })
        ] }),
        /* @__PURE__ */ a3("div", { class: "buttons", children: /* @__PURE__ */ a3("button", { type: "button", class: "text", disabled: own === null, onClick: () => setColumn(c3.name, { scale: null }), children: "Reset" }) })
      ] })
    ] });
  }

  // src/splitter.tsx
  function Splitter({ label, at: at2, across, move }) {
    const onPointerDown = (e3) => {
      const bar = e3.currentTarget;
      const box = bar.parentElement.getBoundingClientRect();
      const where = (e4) => across ? e4.clientY / box.height : e4.clientX / box.width;
      let last = where(e3);
      bar.setPointerCapture(e3.pointerId);
      const onMove = (e4) => {
        const now = where(e4);
        move(now - last);
        last = now;
      };
      bar.addEventListener("pointermove", onMove);
      bar.addEventListener("lostpointercapture", () => bar.removeEventListener("pointermove", onMove), { once: true });
      e3.preventDefault();
    };
    const onKeyDown = (e3) => {
      const [less2, more2] = across ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
      if (e3.key !== less2 && e3.key !== more2) return;
      move(e3.key === less2 ? -0.02 : 0.02);
      e3.preventDefault();
      e3.stopPropagation();
    };
    return /* @__PURE__ */ a3(
      "div",
      {
        class: "splitter" + (across ? " across" : ""),
        role: "separator",
        tabIndex: 0,
        "aria-label": label,
        "aria-orientation": across ? "horizontal" : "vertical",
        "aria-valuenow": Math.round(at2 * 100),
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        onPointerDown,
        onKeyDown
      }
    );
  }

  // src/values.ts
  function useSelection() {
    const key = useStore((s3) => JSON.stringify(selection(s3)));
    return w2(() => JSON.parse(key), [key]);
  }
  function useSettled(now, loading) {
    const last = T2(now);
    if (!loading) last.current = now;
    return last.current;
  }
  function useCalls() {
    const { metric, self } = useSelection();
    const tree = useStore((s3) => s3.call === "tree");
    const at2 = useStore((s3) => s3.at);
    return useAnswer((tree ? requests.calls : requests.flat)(metric, self, at2));
  }
  function useSystem() {
    const s3 = useSelection();
    const one = useAnswer(
      s3.path >= 0 ? requests.systemOfPath(s3.metric, s3.self, s3.path, s3.incl) : s3.regions.length === 1 ? requests.systemOfRegion(s3.metric, s3.self, s3.regions[0], s3.incl) : ""
    );
    const several = useModule(s3);
    return s3.regions.length > 1 ? several : one;
  }
  function useModule(s3) {
    const [answer, set] = d2({ data: null, error: "", loading: true });
    A2(() => {
      if (s3.regions.length < 2) return;
      let current = true;
      set((a4) => ({ ...a4, loading: true }));
      Promise.all(s3.regions.map((r3) => ask(requests.systemOfRegion(s3.metric, s3.self, r3, false)))).then(
        (parts) => current && set({ data: add(getReport(), parts, getReport().metrics[s3.metric].additive), error: "", loading: false }),
        (e3) => current && set({ data: null, error: e3.message, loading: false })
      );
      return () => void (current = false);
    }, [s3]);
    return answer;
  }
  function add(report2, parts, additive) {
    const bad = parts.find((p3) => p3.error);
    if (bad) return bad;
    if (!additive) return { values: [], box: null, error: "a ratio of several regions together is not known; select one of them" };
    const values = report2.system.parent.map(
      (_3, i3) => parts.reduce((sum, p3) => sum === null || p3.values[i3] == null ? null : sum + p3.values[i3], 0)
    );
    return { values, box: boxOf(values.filter((v3, i3) => v3 !== null && report2.system.leaf[i3] >= 0)), error: "" };
  }
  function boxOf(list) {
    if (list.length === 0) return null;
    const v3 = [...list].sort((a4, b) => a4 - b);
    const at2 = (q2) => {
      const x2 = q2 * (v3.length - 1);
      const i3 = Math.floor(x2);
      return v3[i3] + (x2 - i3) * ((v3[i3 + 1] ?? v3[i3]) - v3[i3]);
    };
    const mean = v3.reduce((a4, b) => a4 + b, 0) / v3.length;
    return { min: v3[0], q1: at2(0.25), median: at2(0.5), q3: at2(0.75), max: v3[v3.length - 1], mean, n: v3.length };
  }

  // src/trees.tsx
  function Trees({ narrow }) {
    const front = useStore((s3) => s3.front);
    const widths = useStore((s3) => s3.widths);
    const details = useStore((s3) => s3.details);
    const height = useStore((s3) => s3.height);
    if (narrow) {
      return /* @__PURE__ */ a3("div", { class: "trees narrow", children: [
        front === "metric" && /* @__PURE__ */ a3(MetricColumn, {}),
        front === "call" && /* @__PURE__ */ a3(CallColumn, {}),
        front === "system" && /* @__PURE__ */ a3(SystemColumn, {}),
        front === "details" && /* @__PURE__ */ a3(Details, {})
      ] });
    }
    const move = (border, by) => {
      const w3 = [...getState().widths];
      const sum2 = w3[0] + w3[1] + w3[2];
      const d3 = Math.min(w3[border + 1] - 0.12 * sum2, Math.max(0.12 * sum2 - w3[border], by * sum2));
      w3[border] += d3;
      w3[border + 1] -= d3;
      setState({ widths: w3 });
    };
    const sum = widths[0] + widths[1] + widths[2];
    const first = widths[0] / sum;
    const second = (widths[0] + widths[1]) / sum;
    return /* @__PURE__ */ a3("div", { class: "trees", style: { gridTemplateRows: details ? `minmax(0, ${1 - height}fr) 5px minmax(0, ${height}fr)` : "minmax(0, 1fr)" }, children: [
      /* @__PURE__ */ a3("div", { class: "columns", style: { gridTemplateColumns: widths.map((w3) => `minmax(0, ${w3}fr)`).join(" 5px ") }, children: [
        /* @__PURE__ */ a3(MetricColumn, {}),
        /* @__PURE__ */ a3(Splitter, { label: "Width of the metric column", at: first, move: (by) => move(0, by) }),
        /* @__PURE__ */ a3(CallColumn, {}),
        /* @__PURE__ */ a3(Splitter, { label: "Width of the call column", at: second, move: (by) => move(1, by) }),
        /* @__PURE__ */ a3(SystemColumn, {})
      ] }),
      details && /* @__PURE__ */ a3(Splitter, { label: "Height of the details", across: true, at: 1 - height, move: (by) => setState({ height: Math.min(0.8, Math.max(0.1, getState().height - by)) }) }),
      details && /* @__PURE__ */ a3(Details, {})
    ] });
  }
  function Views({ label, now, all, choose }) {
    return /* @__PURE__ */ a3("div", { class: "segments", role: "group", "aria-label": label, children: all.map(([v3, title]) => /* @__PURE__ */ a3("button", { type: "button", "aria-pressed": v3 === now, onClick: () => choose(v3), children: title }, v3)) });
  }
  function peer(tree, values, node) {
    const up = tree.parent[node];
    let max = 0;
    for (const n2 of up < 0 ? tree.roots : tree.children(up)) max = Math.max(max, Math.abs(values[n2] ?? 0));
    return max;
  }
  var withPeers = (tree, values) => {
    const known = /* @__PURE__ */ new Map();
    return (node) => {
      const up = tree.parent[node];
      let p3 = known.get(up);
      if (p3 === void 0) known.set(up, p3 = peer(tree, values ?? [], node));
      return p3;
    };
  };
  var opener = (key, selectKey) => (set, selected) => setState({ expanded: { ...getState().expanded, [key]: set }, ...selected >= 0 ? { [selectKey]: selected } : {} });
  var openMetrics = opener("metric", "metric");
  var openPaths = opener("call", "path");
  var openSystem = opener("system", "resource");
  function MetricColumn() {
    const r3 = getReport();
    const selected = useStore((s3) => s3.metric);
    const expanded = useStore((s3) => s3.expanded.metric);
    const still = w2(() => {
      const tree = r3.metricTree;
      const peers = withPeers(tree, r3.totals.incl);
      return {
        name: "metric",
        title: "Metric",
        tree,
        incl: r3.totals.incl,
        excl: r3.totals.self,
        label: (m3) => r3.metrics[m3].title || r3.metrics[m3].name,
        hint: (m3) => r3.metrics[m3].name,
        unit: (m3) => r3.metrics[m3].unit,
        additive: (m3) => r3.metrics[m3].additive,
        problem: (m3) => r3.metrics[m3].error,
        whole: (m3, mode) => mode === "peer" ? peers(m3) : mode === "external" ? r3.external?.totals[tree.root(m3)] ?? null : r3.totals.incl[tree.root(m3)] ?? null,
        available: (mode) => mode !== "external" || r3.external !== null,
        mixed: true,
        error: "",
        failure: "",
        loading: false,
        select: (m3) => setState({ metric: m3, instance: -1 }),
        expand: openMetrics
      };
    }, [r3]);
    return /* @__PURE__ */ a3(ColumnView, { c: { ...still, selected, expanded } });
  }
  function metricWhole(r3, { metric, self }) {
    const root2 = r3.metricTree.root(metric);
    return {
      root: r3.totals.incl[root2] ?? null,
      selection: (self ? r3.totals.self : r3.totals.incl)[metric] ?? null,
      external: r3.external?.totals[root2] ?? null
    };
  }
  function moduleTree(r3) {
    const parent = new Int32Array(r3.modules.length + r3.regions.length).fill(-1);
    r3.modules.forEach((m3, i3) => m3.regions.forEach((region) => parent[r3.modules.length + region] = i3));
    return new Tree(parent);
  }
  var nothingOpen = /* @__PURE__ */ new Set();
  function CallColumn() {
    const r3 = getReport();
    const call = useStore((s3) => s3.call);
    const path = useStore((s3) => s3.path);
    const region = useStore((s3) => s3.region);
    const module = useStore((s3) => s3.module);
    const expandedPaths = useStore((s3) => s3.expanded.call);
    const expandedModules = useStore((s3) => s3.expanded.module);
    const flatIncl = useStore((s3) => s3.flatIncl);
    const at2 = useStore((s3) => s3.at);
    const now = { sel: useSelection(), answer: useCalls() };
    const { sel, answer } = useSettled(now, now.answer.loading);
    const whole = metricWhole(r3, sel);
    const m3 = r3.metrics[sel.metric];
    const data = answer.data?.error ? null : answer.data;
    const fits = data?.incl && data.incl.length === (call === "tree" ? r3.pathTree.size : r3.regions.length) ? data : null;
    const shape = w2(() => {
      if (call === "tree") {
        return {
          tree: r3.pathTree,
          label: (p3) => pathName(r3, p3),
          remark: (p3) => r3.paths.note[p3] ?? "",
          hint: (p3) => [callSite(r3, p3) && `called at ${callSite(r3, p3)}`, fullPath(r3, p3)].filter(Boolean).join("\n")
        };
      }
      const first2 = call === "module" ? r3.modules.length : 0;
      return {
        tree: call === "module" ? moduleTree(r3) : new Tree(r3.regions.map(() => -1)),
        label: (n2) => n2 < first2 ? r3.modules[n2].name || "without source file" : r3.regions[n2 - first2].name,
        hint: (n2) => n2 < first2 ? "" : definedAt(r3, n2 - first2)
      };
    }, [r3, call]);
    const values = w2(() => {
      if (!fits) return { incl: null, excl: null };
      if (call === "tree") return { incl: fits.incl, excl: fits.excl };
      if (call === "flat") return { incl: flatIncl ? fits.incl : fits.excl, excl: fits.excl };
      const modules = r3.modules.map((mod) => m3.additive ? mod.regions.reduce((sum, n2) => sum === null || fits.excl[n2] == null ? sum : sum + fits.excl[n2], 0) : void 0);
      return { incl: [...modules, ...fits.excl], excl: [...modules.map(() => void 0), ...fits.excl] };
    }, [fits, call, flatIncl, m3]);
    const wholeOf = w2(() => {
      const peers = withPeers(shape.tree, values.incl);
      return (n2, mode) => {
        switch (mode) {
          case "metricRoot":
            return whole.root;
          case "metricSelection":
            return whole.selection;
          case "external":
            return whole.external;
          case "peer":
            return peers(n2);
          default:
            return call === "tree" ? values.incl?.[shape.tree.root(n2)] ?? null : whole.selection;
        }
      };
    }, [shape, values, whole.root, whole.selection, whole.external]);
    const first = r3.modules.length;
    const content = {
      ...shape,
      ...values,
      name: "call",
      title: "Calls",
      mixed: false,
      error: answer.data?.error ?? "",
      failure: answer.error,
      loading: now.answer.loading,
      noise: call === "tree" ? fits?.noise : void 0,
      unit: () => m3.unit,
      additive: () => m3.additive,
      whole: wholeOf,
      available: (mode) => mode !== "external" || r3.external !== null,
      selected: call === "tree" ? path : call === "flat" ? region : region >= 0 ? first + region : module,
      expanded: call === "tree" ? expandedPaths : call === "flat" ? nothingOpen : expandedModules,
      select: (n2) => select(r3, call, n2),
      expand: (set, n2) => {
        if (call === "tree") openPaths(set, n2);
        else {
          if (call === "module") setState({ expanded: { ...getState().expanded, module: set } });
          if (n2 >= 0) select(r3, call, n2);
        }
      }
    };
    const show = (view) => {
      const now2 = call === "tree" ? r3.paths.region[path] : region;
      const change = { call: view };
      if (view !== "tree" && now2 >= 0) {
        change.region = now2;
        change.module = r3.modules.findIndex((mod) => mod.regions.includes(now2));
        change.expanded = { ...getState().expanded, module: /* @__PURE__ */ new Set([...getState().expanded.module, change.module]) };
      } else if (view === "flat") change.region = r3.modules[module].regions[0];
      setState(change);
    };
    return /* @__PURE__ */ a3(
      ColumnView,
      {
        c: content,
        views: /* @__PURE__ */ a3(Views, { label: "View of the calls", now: call, all: [["tree", "Tree"], ["flat", "Flat"], ["module", "Modules"]], choose: show }),
        notes: (at2 >= 0 || call === "flat") && /* @__PURE__ */ a3("div", { class: "bar notes", children: [
          call === "flat" && /* @__PURE__ */ a3(Views, { label: "What the flat list shows", now: flatIncl ? "incl" : "excl", all: [["excl", "Exclusive"], ["incl", "Inclusive"]], choose: (v3) => setState({ flatIncl: v3 === "incl" }) }),
          at2 >= 0 && /* @__PURE__ */ a3("button", { type: "button", class: "chip", title: `Only ${fullResource(r3, at2)}. Show the whole system`, onClick: () => setState({ at: -1 }), children: [
            /* @__PURE__ */ a3(Icon, { name: "filter" }),
            /* @__PURE__ */ a3("span", { children: r3.system.name[at2] }),
            /* @__PURE__ */ a3(Icon, { name: "close" })
          ] })
        ] })
      }
    );
  }
  function select(r3, call, n2) {
    const first = r3.modules.length;
    if (call === "tree") setState({ path: n2, instance: -1 });
    else if (call === "flat") setState({ region: n2, instance: -1 });
    else if (n2 < first) setState({ module: n2, region: -1, instance: -1 });
    else setState({ region: n2 - first, module: r3.modules.findIndex((m3) => m3.regions.includes(n2 - first)), instance: -1 });
  }
  function definedAt(r3, region) {
    const { file, begin } = r3.regions[region];
    return file ? `defined in ${file}${begin > 0 ? ":" + begin : ""}` : "";
  }
  function SystemColumn() {
    const r3 = getReport();
    const view = useStore((s3) => s3.system);
    const selected = useStore((s3) => s3.resource);
    const at2 = useStore((s3) => s3.at);
    const expanded = useStore((s3) => s3.expanded.system);
    const now = { sel: useSelection(), calls: useCalls(), answer: useSystem() };
    const loading = now.calls.loading || now.answer.loading;
    const { sel, calls, answer } = useSettled(now, loading);
    const whole = metricWhole(r3, sel);
    const m3 = r3.metrics[sel.metric];
    const tree = r3.systemTree;
    const incl = answer.data && !answer.data.error ? answer.data.values : null;
    const excl = w2(() => {
      if (!incl) return null;
      return incl.map((v3, i3) => tree.isLeaf(i3) ? v3 : void 0);
    }, [incl]);
    const wholeOf = w2(() => {
      const peers = withPeers(tree, incl);
      const c3 = calls.data && !calls.data.error ? calls.data : null;
      const callSelection = () => {
        if (sel.path >= 0) return (sel.incl ? c3?.incl : c3?.excl)?.[sel.path] ?? null;
        return tree.roots.reduce((sum, root2) => sum === null || incl?.[root2] == null ? null : sum + incl[root2], 0);
      };
      return (n2, mode) => {
        switch (mode) {
          case "metricRoot":
            return whole.root;
          case "metricSelection":
            return whole.selection;
          case "callRoot":
            return sel.path >= 0 ? c3?.incl?.[r3.pathTree.root(sel.path)] ?? null : whole.selection;
          case "callSelection":
            return callSelection();
          case "external":
            return whole.external;
          case "peer":
            return peers(n2);
          default:
            return incl?.[tree.root(n2)] ?? null;
        }
      };
    }, [tree, incl, calls.data, sel, whole.root, whole.selection, whole.external]);
    const content = {
      name: "system",
      title: "System",
      tree,
      incl,
      excl,
      mixed: false,
      error: answer.data?.error ?? "",
      failure: answer.error,
      loading,
      label: (i3) => r3.system.name[i3],
      remark: () => "",
      hint: (i3) => r3.system.cls[i3],
      unit: () => m3.unit,
      additive: () => m3.additive,
      whole: wholeOf,
      available: (mode) => mode !== "external" || r3.external !== null,
      selected,
      expanded,
      select: (i3) => setState({ resource: i3 }),
      expand: openSystem
    };
    const all = [["tree", "Tree"], ["plot", "Plot"]];
    if (r3.topologies.length > 0) all.push(["topology", "Topology"]);
    const body = view === "plot" ? /* @__PURE__ */ a3(SystemPlot, {}) : view === "topology" ? /* @__PURE__ */ a3(TopologyGrid, {}) : void 0;
    return /* @__PURE__ */ a3(
      ColumnView,
      {
        c: content,
        views: /* @__PURE__ */ a3(Views, { label: "View of the system", now: view, all, choose: (v3) => setState({ system: v3 }) }),
        body,
        tools: /* @__PURE__ */ a3(
          "button",
          {
            type: "button",
            class: at2 >= 0 && at2 === selected ? "active" : "",
            disabled: selected < 0,
            "aria-pressed": at2 >= 0 && at2 === selected,
            "aria-label": "Restrict the calls to the selected part of the system",
            title: "Restrict the calls to the selected part of the system",
            onClick: () => setState({ at: at2 === selected ? -1 : selected }),
            children: /* @__PURE__ */ a3(Icon, { name: "filter" })
          }
        )
      }
    );
  }
  var columnNames = ["metric", "call", "system"];

  // src/app.tsx
  var narrowBelow = 720;
  function useNarrow() {
    const [query] = d2(() => window.matchMedia(`(max-width: ${narrowBelow - 1}px)`));
    const [narrow, set] = d2(query.matches);
    A2(() => {
      const look = () => set(query.matches);
      query.addEventListener("change", look);
      return () => query.removeEventListener("change", look);
    }, []);
    return narrow;
  }
  function App() {
    const view = useStore((s3) => s3.view);
    const theme2 = useTheme();
    const narrow = useNarrow();
    const [help, setHelp] = d2(false);
    F2(() => void (document.documentElement.dataset.theme = theme2), [theme2]);
    A2(() => {
      const onKeyDown = (e3) => {
        if (e3.ctrlKey || e3.metaKey || e3.altKey || e3.target.matches?.("input, select, textarea")) return;
        if (e3.key === "?") setHelp((h3) => !h3);
        else if (e3.key === "[" || e3.key === "]") walk(e3.key === "]" ? 1 : -1);
        else if (e3.key === "/") {
          if (document.activeElement?.closest("[data-column]")) return;
          const column2 = document.querySelector(".column.call") ?? document.querySelector(".column");
          column2?.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
        } else return;
        e3.preventDefault();
      };
      window.addEventListener("keydown", onKeyDown);
      return () => window.removeEventListener("keydown", onKeyDown);
    }, []);
    return /* @__PURE__ */ a3($, { children: [
      /* @__PURE__ */ a3(Header, { narrow, openHelp: () => setHelp(true) }),
      /* @__PURE__ */ a3("main", { children: /* @__PURE__ */ a3("div", { class: "view " + view, id: "view", role: "tabpanel", "aria-labelledby": "tab-" + view, children: /* @__PURE__ */ a3(Guard, { children: [
        view === "findings" && /* @__PURE__ */ a3(Findings, {}),
        view === "trees" && /* @__PURE__ */ a3(Trees, { narrow }),
        view === "timeline" && /* @__PURE__ */ a3(Timeline, {}),
        view === "efficiency" && /* @__PURE__ */ a3(Efficiency, {})
      ] }, view) }) }),
      view === "trees" && /* @__PURE__ */ a3(StatusBar, { narrow }),
      help && /* @__PURE__ */ a3(Help, { close: () => setHelp(false) })
    ] });
  }
  function walk(step) {
    const now = document.activeElement?.closest("[data-column]")?.dataset.column ?? document.querySelector(".trees.narrow [data-column]")?.dataset.column;
    const i3 = columnNames.findIndex((n2) => n2 === now);
    const next = columnNames[i3 < 0 ? step > 0 ? 0 : 2 : (i3 + step + 3) % 3];
    if (document.querySelector(".trees.narrow")) setState({ front: next });
    requestAnimationFrame(() => (document.getElementById(next) ?? document.querySelector(`.column.${next} button`))?.focus());
  }
  function Header({ narrow, openHelp }) {
    const r3 = getReport();
    const view = useStore((s3) => s3.view);
    const front = useStore((s3) => s3.front);
    const details = useStore((s3) => s3.details);
    const { features } = r3;
    const views = [];
    if (features.findings) views.push(["findings", "Findings"]);
    views.push(["trees", "Trees"]);
    if (features.timeline || features.stats) views.push(["timeline", "Timeline"]);
    views.push(["efficiency", "Efficiency"]);
    const kinds = { expert: "Go program", scalasca: "Scalasca", cube: "CUBE" };
    const fronts = [["metric", "Metric"], ["call", "Calls"], ["system", "System"], ["details", "Details"]];
    return /* @__PURE__ */ a3("header", { class: "top", children: [
      /* @__PURE__ */ a3("div", { class: "title", children: [
        /* @__PURE__ */ a3("h1", { title: r3.file, children: r3.title }),
        /* @__PURE__ */ a3("span", { class: "kind", children: r3.difference ? "Difference" : kinds[r3.kind] })
      ] }),
      /* @__PURE__ */ a3(Tabs, { label: "Views", now: view, all: views, choose: (v3) => setState({ view: v3 }), controls: "view", prefix: "tab-" }),
      /* @__PURE__ */ a3("span", { class: "space" }),
      /* @__PURE__ */ a3("div", { class: "tools", children: [
        /* @__PURE__ */ a3(About, {}),
        view === "trees" && !narrow && /* @__PURE__ */ a3("button", { type: "button", class: details ? "active" : "", "aria-pressed": details, "aria-label": "Details", title: "Details of the selection", onClick: () => setState({ details: !details }), children: /* @__PURE__ */ a3(Icon, { name: "panel" }) }),
        /* @__PURE__ */ a3(ThemeButton, {}),
        /* @__PURE__ */ a3("button", { type: "button", "aria-label": "Help", title: "Keys and what is shown (?)", onClick: openHelp, children: /* @__PURE__ */ a3(Icon, { name: "help" }) })
      ] }),
      view === "trees" && narrow && /* @__PURE__ */ a3("div", { class: "segments fronts", role: "group", "aria-label": "Column", children: fronts.map(([f4, title]) => /* @__PURE__ */ a3("button", { type: "button", "aria-pressed": f4 === front, onClick: () => setState({ front: f4 }), children: title }, f4)) })
    ] });
  }
  function Tabs({ label, now, all, choose, controls, prefix }) {
    const onKeyDown = (e3) => {
      const i3 = all.findIndex(([v4]) => v4 === now);
      const to = { ArrowRight: i3 + 1, ArrowLeft: i3 - 1, Home: 0, End: all.length - 1 }[e3.key];
      if (to === void 0) return;
      const [v3] = all[(to + all.length) % all.length];
      choose(v3);
      document.getElementById(prefix + v3)?.focus();
      e3.preventDefault();
    };
    return /* @__PURE__ */ a3("div", { class: "tabs", role: "tablist", "aria-label": label, onKeyDown, children: all.map(([v3, title]) => /* @__PURE__ */ a3("button", { id: prefix + v3, type: "button", role: "tab", "aria-selected": v3 === now, "aria-controls": v3 === now ? controls : void 0, tabIndex: v3 === now ? 0 : -1, onClick: () => choose(v3), children: title }, v3)) });
  }
  function About() {
    const r3 = getReport();
    const n2 = r3.problems.length;
    return /* @__PURE__ */ a3(Popover, { label: n2 > 0 ? `About this report, ${n2} ${n2 === 1 ? "problem" : "problems"}` : "About this report", class: "about" + (n2 > 0 ? " warns" : ""), button: n2 > 0 ? /* @__PURE__ */ a3($, { children: [
      /* @__PURE__ */ a3(Icon, { name: "warning" }),
      n2
    ] }) : /* @__PURE__ */ a3(Icon, { name: "info" }), children: [
      n2 > 0 && /* @__PURE__ */ a3($, { children: [
        /* @__PURE__ */ a3("h3", { children: "Problems" }),
        /* @__PURE__ */ a3("ul", { class: "problems", children: r3.problems.map((p3) => /* @__PURE__ */ a3("li", { children: p3 })) })
      ] }),
      /* @__PURE__ */ a3("h3", { children: "Report" }),
      /* @__PURE__ */ a3("dl", { children: [
        /* @__PURE__ */ a3("dt", { children: "File" }),
        /* @__PURE__ */ a3("dd", { children: r3.file }),
        r3.external && /* @__PURE__ */ a3($, { children: [
          /* @__PURE__ */ a3("dt", { children: "Compared with" }),
          /* @__PURE__ */ a3("dd", { children: r3.external.file })
        ] }),
        /* @__PURE__ */ a3("dt", { children: "Metrics" }),
        /* @__PURE__ */ a3("dd", { children: r3.metrics.length }),
        /* @__PURE__ */ a3("dt", { children: "Call paths" }),
        /* @__PURE__ */ a3("dd", { children: r3.pathTree.size }),
        /* @__PURE__ */ a3("dt", { children: "Locations" }),
        /* @__PURE__ */ a3("dd", { children: r3.system.leaf.filter((l3) => l3 >= 0).length }),
        r3.attrs.map(([k2, v3]) => /* @__PURE__ */ a3($, { children: [
          /* @__PURE__ */ a3("dt", { children: k2 }),
          /* @__PURE__ */ a3("dd", { children: v3 })
        ] }))
      ] })
    ] });
  }
  var themes = { auto: ["light", "auto", "as the system"], light: ["dark", "sun", "light"], dark: ["auto", "moon", "dark"] };
  function ThemeButton() {
    const now = useStore((s3) => s3.theme);
    const [next, icon, name] = themes[now];
    return /* @__PURE__ */ a3("button", { type: "button", "aria-label": `Theme: ${name}`, title: `Theme: ${name}; change to ${themes[next][2]}`, onClick: () => setState({ theme: next }), children: /* @__PURE__ */ a3(Icon, { name: icon }) });
  }
  function StatusBar({ narrow }) {
    const r3 = getReport();
    const resource = useStore((st) => st.resource);
    const module = useStore((st) => st.module);
    const now = { s: useSelection(), calls: useCalls(), system: useSystem() };
    const settled = useSettled(now, now.calls.loading || now.system.loading);
    const s3 = settled.s;
    const calls = settled.calls.data;
    const system = settled.system.data;
    const m3 = r3.metrics[s3.metric];
    const total = (s3.self ? r3.totals.self : r3.totals.incl)[s3.metric];
    const call = s3.path >= 0 ? pathName(r3, s3.path) : s3.regions.length === 1 ? r3.regions[s3.regions[0]].name : r3.modules[module].name || "without source file";
    const at2 = s3.path >= 0 ? (s3.incl ? calls?.incl : calls?.excl)?.[s3.path] : s3.regions.length === 1 ? (s3.incl ? calls?.incl : calls?.excl)?.[s3.regions[0]] : void 0;
    const text = (v3) => v3 === void 0 ? "" : value(v3, m3.unit, r3.difference);
    const metric = (m3.title || m3.name) + (s3.self ? ", without its parts" : "");
    const below2 = s3.path >= 0 && !s3.incl && !r3.pathTree.isLeaf(s3.path) ? " itself" : "";
    return /* @__PURE__ */ a3("div", { class: "status", role: "status", children: [
      /* @__PURE__ */ a3("span", { class: "part", children: [
        /* @__PURE__ */ a3("span", { class: "what", children: metric }),
        " ",
        /* @__PURE__ */ a3("b", { children: text(total) })
      ] }),
      /* @__PURE__ */ a3("span", { class: "part", children: [
        /* @__PURE__ */ a3("span", { class: "what", children: [
          call,
          below2
        ] }),
        " ",
        /* @__PURE__ */ a3("b", { children: text(at2) })
      ] }),
      resource >= 0 && /* @__PURE__ */ a3("span", { class: "part", children: [
        /* @__PURE__ */ a3("span", { class: "what", children: narrow ? r3.system.name[resource] : fullResource(r3, resource) }),
        " ",
        /* @__PURE__ */ a3("b", { children: text(system?.values?.[resource]) })
      ] })
    ] });
  }
  var keys = [
    ["\u2191 \u2193", "previous, next row"],
    ["\u2192 \u2190", "open, close; to the first part, to the parent"],
    ["Shift \u2192 \u2190", "open, close everything below"],
    ["Home End", "first, last row"],
    ["Enter Space", "open or close"],
    ["a \u2026 z", "to the next name that begins so"],
    ["*", "open all of the same parent"],
    [".", "open the hottest path"],
    ["[ ]", "previous, next column"],
    ["/", "search; Enter and Shift Enter: next, previous match"],
    ["?", "this help"]
  ];
  function Help({ close }) {
    const r3 = getReport();
    const dialog = T2(null);
    A2(() => dialog.current?.showModal(), []);
    return /* @__PURE__ */ a3("dialog", { ref: dialog, class: "help", "aria-label": "Help", onClose: close, onClick: (e3) => e3.target === dialog.current && dialog.current?.close(), children: /* @__PURE__ */ a3("div", { children: [
      /* @__PURE__ */ a3("header", { children: [
        /* @__PURE__ */ a3("h2", { children: "Reading the trees" }),
        /* @__PURE__ */ a3("button", { type: "button", "aria-label": "Close", onClick: () => dialog.current?.close(), children: /* @__PURE__ */ a3(Icon, { name: "close" }) })
      ] }),
      /* @__PURE__ */ a3("p", { children: "What is selected in a column decides what the columns to the right of it show: how the metric spreads over the calls, and how the metric at that call spreads over the system." }),
      /* @__PURE__ */ a3("p", { children: [
        "A ",
        /* @__PURE__ */ a3("b", { children: "closed" }),
        " row stands for itself and everything below it, an ",
        /* @__PURE__ */ a3("b", { children: "open" }),
        " one for itself only. So the rows in sight add up to the whole."
      ] }),
      r3.difference && /* @__PURE__ */ a3("p", { children: [
        "Values are differences: ",
        /* @__PURE__ */ a3("b", { children: "+" }),
        " and orange is more than before, ",
        /* @__PURE__ */ a3("b", { children: "\u2212" }),
        " and blue is less. \u2248 marks what is within the spread of repeated runs."
      ] }),
      /* @__PURE__ */ a3("p", { children: "\u201Cn/a\u201D is what cannot be evaluated; it is not zero. The address of the page holds everything you chose: bookmark it, or send it to somebody who views the same report." }),
      /* @__PURE__ */ a3("h2", { children: "Keys" }),
      /* @__PURE__ */ a3("dl", { class: "keys", children: keys.map(([k2, what]) => /* @__PURE__ */ a3($, { children: [
        /* @__PURE__ */ a3("dt", { children: k2.split(" ").map((x2) => x2 === "\u2026" ? " \u2026 " : /* @__PURE__ */ a3("kbd", { children: x2 })) }),
        /* @__PURE__ */ a3("dd", { children: what })
      ] })) })
    ] }) });
  }
  var Guard = class extends x {
    state = { error: "" };
    static getDerivedStateFromError(e3) {
      return { error: e3.message || String(e3) };
    }
    render() {
      if (!this.state.error) return /* @__PURE__ */ a3($, { children: this.props.children });
      return /* @__PURE__ */ a3("div", { class: "empty", role: "alert", children: [
        /* @__PURE__ */ a3(Icon, { name: "warning" }),
        /* @__PURE__ */ a3("strong", { children: "This view cannot be shown" }),
        /* @__PURE__ */ a3("p", { children: this.state.error })
      ] });
    }
  };

  // src/main.tsx
  var root = document.getElementById("app");
  document.documentElement.dataset.theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  Q(/* @__PURE__ */ a3("p", { class: "empty", role: "status", children: "Loading the report\u2026" }), root);
  start().then(
    () => {
      document.title = `${getReport().title} \xB7 expert`;
      Q(/* @__PURE__ */ a3(App, {}), root);
    },
    (e3) => Q(
      /* @__PURE__ */ a3("div", { class: "empty", role: "alert", children: [
        /* @__PURE__ */ a3("strong", { children: "The report cannot be shown" }),
        /* @__PURE__ */ a3("p", { children: e3.message })
      ] }),
      root
    )
  );
})();
//# sourceMappingURL=app.js.map
